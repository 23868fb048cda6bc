import { expect } from 'chai';
import { checksOf } from './checks.ts';
import { type Came, findFault, answerText } from './evaluate-answer.ts';

type Reward = { data: { reward: unknown } };

describe('the checks of a receiver', () => {
  let ids = 0;
  const checks = checksOf({
    credentials: { username: 'u', password: 'p' },
    productUserId: 'tester',
    createdTs: '2026-03-01T10:20:30.045Z',
    newId: () => `id-${++ids}`,
  });

  it('ask for the right answer with the right credentials only', () => {
    const right = `Basic ${Buffer.from('u:p').toString('base64')}`;
    for (const { authorization, right: wanted } of checks) {
      expect(authorization === right, wanted).to.equal(wanted !== '401');
    }
  });

  it('are valid payloads of 2.12 where a grant is right', () => {
    const valid = checks
      .filter(({ rule }) => rule === 4)
      .map(({ body }) => JSON.parse(body) as Reward);
    for (const event of valid) {
      expect(event).to.have.keys('version', 'eventType', 'createdTs', 'eventId', 'data');
      expect(event.data).to.have.keys('rewardId', 'productUserId', 'rewardType', 'reward');
      expect(event.data.reward).to.deep.equal({ amount: 1 });
    }
    expect(valid).to.have.length(3);
  });

  it('have an event of its own for each mistake, so that none is taken for a repetition', () => {
    const mistakes = checks.filter(({ rule }) => rule === 3).map(({ mayGrant }) => mayGrant);
    expect(new Set(mistakes).size).to.equal(mistakes.length);
  });
});

describe('the validation of an answer', () => {
  const answer = (status: number, more: object = {}): Came => ({
    ...{ came: 'answer', status, body: '', durationMs: 1, ...more },
  });

  it('is right for exactly the wanted status', () => {
    for (const status of [200, 202, 204, 299])
      expect(findFault('2xx', answer(status))).to.equal(undefined);
    for (const status of [199, 300, 304, 400, 410, 500])
      expect(findFault('2xx', answer(status))).to.be.a('string');
    expect(findFault('400', answer(400))).to.equal(undefined);
    expect(findFault('400', answer(422))).to.equal('422');
    expect(findFault('401', answer(401))).to.equal(undefined);
    expect(findFault('401', answer(403))).to.equal('403');
    expect(findFault('not 401', answer(500))).to.equal(undefined);
    expect(findFault('not 401', answer(401))).to.equal('401');
  });

  it('names a redirect and where it leads', () => {
    const fault = findFault('2xx', answer(302, { location: '/login' }));
    expect(fault).to.equal('302, a redirect to /login, which is not followed');
  });

  it('shows the beginning of a long answer', () => {
    expect(answerText(answer(500, { body: 'x'.repeat(1_000) }))).to.have.length(105);
  });
});

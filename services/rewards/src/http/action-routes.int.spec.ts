import { createAdminApp } from '@tributary/http/admin-listener';
import { createInternalClient } from '@tributary/http/internal-client';
import { createInternalRouter } from '@tributary/http/internal-router';
import { createRegistry } from '@tributary/http/metrics';
import type { Listener } from '@tributary/http/server';
import { serve } from '@tributary/http/testing';
import { createLogger } from '@tributary/runtime/logger';
import { checkServiceAnswer } from '@tributary/contracts/testing/admin-answers';
import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { expect } from 'chai';
import { actionRoutes } from './action-routes.ts';
import { entitle } from '../testing/entitle.ts';
import { type Parts, startParts } from '../testing/parts.ts';
import { rewardIdOf } from '@tributary/rewards-fold/testing/settlement-book';

const logger = createLogger({ service: 'test', level: 'silent' });
const token = 'test-internal-token';

describe('an operator action, asked by the portal', () => {
  let database: TestDatabase;
  let parts: Parts;
  let listener: Listener;

  before(async () => {
    database = await createDatabase();
    parts = await startParts({ url: database.url });
    const router = createInternalRouter(actionRoutes(parts.operator), { logger });
    listener = await serve(
      createAdminApp({
        service: 'rewards',
        registry: createRegistry('rewards'),
        checks: {},
        internal: { tokens: [token], router },
      }),
    );
  });

  after(async () => {
    await listener.stop();
    await parts.stop();
    await database.drop();
  });

  async function post(path: string[], body: unknown) {
    const baseUrl = `http://127.0.0.1:${listener.port}`;
    const client = createInternalClient({ service: 'rewards', baseUrl, token, logger });
    const answer = await client.post(['tenants', ...path], body);
    if (answer.outcome === 'answered') {
      const route = { method: 'POST', path: `/tenants/${path.join('/')}` };
      checkServiceAnswer('rewards', route, answer);
    }
    if (answer.outcome === 'refused') return [answer.problem.status, answer.problem.detail];
    return answer.outcome === 'answered' ? [answer.status, answer.body] : [answer.detail];
  }

  const reviews = ['referral-loop'] as const;
  const by = 'ops@example.com';

  it('answers what was said, and the same to whoever says it again', async () => {
    await entitle(parts, 'anna', { n: 1, credits: '10', reviews });
    const path = ['t1', 'rewards', rewardIdOf(1), 'release'];
    const first = await post(path, { by, note: 'fine' });
    expect(first[0]).to.equal(200);
    expect(first[1]).to.include({
      rewardId: rewardIdOf(1),
      action: 'released',
      recipientId: 'anna',
      campaignId: 'c1',
      by,
      note: 'fine',
    });
    expect(await post(path, { by: 'another' })).to.deep.equal(first);
  });

  it('refuses with 404 what it does not know and with 409 and a sentence what cannot be', async () => {
    await entitle(parts, 'bert', { n: 2, credits: '10' });
    await parts.releaseAll();
    const unknown = 'This tenant has no reward with this id.';
    for (const path of [
      ['t1', 'rewards', rewardIdOf(99), 'release'],
      ['t2', 'rewards', rewardIdOf(2), 'withhold'],
      ['t1', 'rewards', 'not-a-uuid', 'release'],
      ['t\0', 'rewards', rewardIdOf(2), 'release'],
    ]) {
      expect(await post(path, { by }), path.join('/')).to.deep.equal([404, unknown]);
    }
    expect(await post(['t1', 'rewards', rewardIdOf(2), 'withhold'], { by })).to.deep.equal([
      409,
      'This reward was issued in full already.',
    ]);
  });

  it('releases in bulk and counts', async () => {
    await entitle(parts, 'cleo', { n: 3, credits: '1', reviews }, { n: 4, credits: '1', reviews });
    const path = ['t1', 'rewards', 'release'];
    const filter = { state: 'review', recipientId: 'cleo', before: '2027-01-01T00:00:00.000Z' };
    const released = await post(path, { by, filter });
    expect(released).to.deep.equal([200, { released: 2, more: false }]);
    expect(await post(path, { by, filter })).to.deep.equal([200, { released: 0, more: false }]);
  });

  it('takes and keeps names and notes as long as the admin API lets them be, in characters', async () => {
    await entitle(parts, 'dan', { n: 5, credits: '1', reviews });
    const asked = { by: '😀'.repeat(255), note: '😀'.repeat(1_000) };
    const answer = await post(['t1', 'rewards', rewardIdOf(5), 'release'], asked);
    expect(answer[0]).to.equal(200);
    expect(answer[1]).to.include(asked);
    const filter = { state: 'review', recipientId: '😀'.repeat(255) };
    const none = await post(['t1', 'rewards', 'release'], { by, filter });
    expect(none).to.deep.equal([200, { released: 0, more: false }]);
  });

  it('refuses a body of another shape', async () => {
    const one = ['t1', 'rewards', rewardIdOf(1), 'release'];
    const many = ['t1', 'rewards', 'release'];
    const bodies: [string[], unknown][] = [
      [one, { by: '' }],
      [one, { by, note: 'n'.repeat(2_001) }],
      [one, { by, word: 'issued' }],
      [one, { by: 'a\0b' }],
      [many, { by }],
      [many, { by, filter: {} }],
      [many, { by, filter: { state: 'held' } }],
      [many, { by, filter: { state: 'review', before: 'yesterday' } }],
      [many, { by, filter: { state: 'review', tenantId: 't2' } }],
    ];
    for (const [path, body] of bodies) {
      expect((await post(path, body))[0], JSON.stringify(body)).to.equal(422);
    }
  });
});

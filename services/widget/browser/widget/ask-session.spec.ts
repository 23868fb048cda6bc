import { expect } from 'chai';
import { evaluateAnswer } from './ask-session.ts';

// How it is asked is seen in a real browser (test-e2e/browser).
describe('the answer to a session request', () => {
  const session = { rules: [], credits: {}, referrals: {} };

  it('is a session, or a refusal of the token', () => {
    expect(evaluateAnswer(200, session)).to.deep.equal({ outcome: 'session', session });
    expect(evaluateAnswer(401, { detail: 'no' })).to.deep.equal({ outcome: 'unauthorized' });
  });

  it('is a refusal of the request, with the places that the problem names', () => {
    const problem = { detail: 'Wrong.', errors: [{ pointer: '/token', detail: 'too long' }] };
    for (const status of [400, 413, 415, 422]) {
      expect(evaluateAnswer(status, problem)).to.deep.equal({
        outcome: 'refused',
        detail: 'Wrong. /token: too long',
      });
    }
    expect(evaluateAnswer(422, null)).to.have.property('detail', 'The request was refused.');
  });

  it('is none with any other status', () => {
    for (const status of [201, 404, 429, 500, 502, 503]) {
      expect(evaluateAnswer(status, session)).to.deep.equal({ outcome: 'unavailable' });
    }
  });

  it('is none where a 200 brings something else', () => {
    for (const body of [null, 'text', {}, [], { ...session, rules: {} }]) {
      expect(evaluateAnswer(200, body)).to.deep.equal({ outcome: 'unavailable' });
    }
  });
});

import { expect } from 'chai';
import { type ExchangeEnd, evaluateExchange } from './outcome.ts';

describe('evaluate (interface 6.1 rule 5)', () => {
  it('takes every 2xx as delivered', () => {
    for (const statusCode of [200, 201, 202, 204, 299]) {
      expect(evaluateExchange(answered(statusCode)).delivered, `${statusCode}`).to.equal(true);
    }
  });

  it('retries everything else, redirects and 410 too', () => {
    for (const statusCode of [301, 302, 307, 308, 400, 401, 404, 410, 429, 500, 503, 600]) {
      expect(evaluateExchange(answered(statusCode)).delivered, `${statusCode}`).to.equal(false);
    }
  });

  it('retries when there is no answer', () => {
    expect(evaluateExchange({ end: 'no-answer', result: 'timeout' })).to.deep.equal({
      delivered: false,
      result: 'timeout',
    });
  });
});

function answered(statusCode: number): ExchangeEnd {
  const answer = { statusCode, headers: [], body: '', cut: false };
  return { end: 'answered', statusCode, answer };
}

import type { DeliveryFact } from '@tributary/contracts/delivery-record';
import { expect } from 'chai';
import {
  attemptOf,
  decisionOn,
  expiryOf,
  issuanceOf,
  purchase,
  resendOf,
  rewardFor,
} from '../../../testing/scenario.ts';
import { deliveryLines } from './delivery-lines.ts';

describe('the lines on a delivery', () => {
  const issuance = issuanceOf(rewardFor(decisionOn(purchase(2))), 1);
  const { webhookEventId } = issuance;
  const linesOf = (...facts: DeliveryFact[]) =>
    deliveryLines(webhookEventId, facts).map((line) =>
      line.replace(`Webhook ${webhookEventId}: `, ''),
    );
  const failed = (attempt: number, round = 0) =>
    attemptOf(issuance, attempt, { round, outcome: 'failed', statusCode: 500 });

  it('tell that there is nothing to tell', () => {
    expect(linesOf()).to.deep.equal(['no attempt has been recorded yet.']);
  });

  it('tell the last attempt of each round, with who asked for the next one', () => {
    const exhausted = attemptOf(issuance, 2, { outcome: 'exhausted', statusCode: 500 });
    const delivered = attemptOf(issuance, 4, { round: 1, step: 2 });
    const facts = [failed(1), exhausted, resendOf(issuance, 1, 2), failed(3, 1), delivered];
    expect(linesOf(...facts)).to.deep.equal([
      'given up after attempt 2 at 2026-03-01T12:03:22.000Z (status 500).',
      'resent by olga@ops at 2026-03-01T12:03:41.000Z: they were down.',
      'delivered on attempt 4 at 2026-03-01T12:03:24.000Z (status 200).',
    ]);
  });

  it('tell an expiry with the attempts before it, also without any', () => {
    const reason = 'its endpoint could not be reached in time.';
    expect(linesOf(failed(1), expiryOf(issuance, 0, 1)).at(-1)).to.equal(
      `expired at 2026-03-01T12:03:30.000Z after 1 attempt: ${reason}`,
    );
    expect(linesOf(expiryOf(issuance, 0, 0))).to.deep.equal([
      `expired at 2026-03-01T12:03:30.000Z after 0 attempts: ${reason}`,
    ]);
  });

  it('tell of a delivery though a later attempt was under way and failed', () => {
    expect(linesOf(attemptOf(issuance, 1), failed(2), resendOf(issuance, 1, 2))).to.deep.equal([
      'delivered on attempt 1 at 2026-03-01T12:03:21.000Z (status 200).',
      'resent by olga@ops at 2026-03-01T12:03:41.000Z: they were down.',
    ]);
    expect(linesOf(attemptOf(issuance, 1), failed(2), expiryOf(issuance, 0, 2))).to.deep.equal([
      'delivered on attempt 1 at 2026-03-01T12:03:21.000Z (status 200).',
    ]);
  });

  it('tell no expiry of what was delivered after all', () => {
    expect(linesOf(attemptOf(issuance, 1), expiryOf(issuance, 0, 0))).to.deep.equal([
      'delivered on attempt 1 at 2026-03-01T12:03:21.000Z (status 200).',
    ]);
  });

  it('let no control character of a name or a note through', () => {
    const resend = { ...resendOf(issuance, 1, 0), by: 'o\u001b[31m', note: 'a\nb' };
    expect(linesOf(resend)[0]).to.match(/^resent by o\ufffd\[31m at [^\n]+: a\ufffdb\.$/);
  });
});

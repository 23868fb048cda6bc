import { expect } from 'chai';
import fc from 'fast-check';
import { nextDelayMs, retryDelaysMs } from './schedule.ts';

const middle = 0.5;

describe('nextDelayMs (design 8, "Webhook")', () => {
  it('follows 5 s, 30 s, 2 m, 10 m, 30 m, 1 h, 2 h, 4 h, 8 h, 12 h, 24 h, 24 h', () => {
    const seconds = retryDelaysMs.map(
      (_, at) => nextDelayMs({ attempt: at + 1, random: middle })! / 1000,
    );
    expect(seconds).to.deep.equal([
      5, 30, 120, 600, 1800, 3600, 7200, 14400, 28800, 43200, 86400, 86400,
    ]);
  });

  it('ends after the last delay', () => {
    expect(nextDelayMs({ attempt: retryDelaysMs.length + 1, random: middle })).to.equal(undefined);
  });

  it('stays within 20 % of the delay', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: retryDelaysMs.length }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (attempt, random) => {
          const plain = retryDelaysMs[attempt - 1]!;
          expect(nextDelayMs({ attempt, random })).to.be.within(0.8 * plain, 1.2 * plain);
        },
      ),
    );
  });

  it('lets Retry-After postpone, never hasten', () => {
    expect(nextDelayMs({ attempt: 1, random: middle, retryAfterMs: 60_000 })).to.equal(60_000);
    expect(nextDelayMs({ attempt: 1, random: middle, retryAfterMs: 0 })).to.equal(5_000);
  });

  it('caps what Retry-After may ask for at a day', () => {
    const delayMs = nextDelayMs({ attempt: 1, random: middle, retryAfterMs: Number.MAX_VALUE });
    expect(delayMs).to.equal(86_400_000);
  });
});

import { expect } from 'chai';
import fc from 'fast-check';
import { retryDelaysMs, type Step, stepAfterFailure } from './next-attempt.ts';

const middle = 0.5;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const far = { nowMs: 0, horizonAtMs: 1_000 * dayMs, random: middle, probe: false };

describe('stepAfterFailure (design 8, "Webhook")', () => {
  it('follows 5 s, 30 s, 2 m, 10 m, 30 m, 1 h, 2 h, 4 h, 8 h, 12 h, 24 h, 24 h', () => {
    const seconds = retryDelaysMs.map(
      (_, step) => waitMs(stepAfterFailure({ ...far, step })) / 1e3,
    );
    expect(seconds).to.deep.equal([
      5, 30, 120, 600, 1800, 3600, 7200, 14400, 28800, 43200, 86400, 86400,
    ]);
  });

  it('makes a whole schedule of 13 tries, each at its sum of delays, then is exhausted', () => {
    const tries = [0];
    let step = 0;
    for (let nowMs = 0; ;) {
      const after = stepAfterFailure({ ...far, step, nowMs });
      if (after.state === 'exhausted') break;
      ({ step } = after);
      nowMs = after.dueAtMs;
      tries.push(nowMs / 1e3);
    }
    expect(tries).to.deep.equal([
      0, 5, 35, 155, 755, 2555, 6155, 13355, 27755, 56555, 99755, 186155, 272555,
    ]);
    expect(step).to.equal(12);
  });

  it('makes the tries of the first 200 seconds at 0, 5, 35 and 155 s, whatever the jitter', () => {
    fc.assert(
      fc.property(fc.array(shares, { minLength: 4, maxLength: 4 }), (randoms) => {
        const plain = [5, 35, 155];
        let nowMs = 0;
        for (const [step, at] of plain.entries()) {
          const after = stepAfterFailure({ ...far, step, nowMs, random: randoms[step]! });
          nowMs = dueAtMs(after);
          expect(nowMs).to.be.within(0.8 * at * 1e3, 1.2 * at * 1e3);
        }
      }),
    );
  });

  it('stays within 20 % of the delay', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: retryDelaysMs.length - 1 }), shares, (step, random) => {
        const plain = retryDelaysMs[step]!;
        const wait = waitMs(stepAfterFailure({ ...far, step, random }));
        expect(wait).to.be.within(0.8 * plain, 1.2 * plain);
      }),
    );
  });

  it('lets Retry-After postpone, never hasten', () => {
    const first = { ...far, step: 0 };
    expect(waitMs(stepAfterFailure({ ...first, retryAfterMs: 60_000 }))).to.equal(60_000);
    expect(waitMs(stepAfterFailure({ ...first, retryAfterMs: 0 }))).to.equal(5_000);
  });

  it('caps what Retry-After may ask for at a day', () => {
    const after = stepAfterFailure({ ...far, step: 0, retryAfterMs: Number.MAX_VALUE });
    expect(waitMs(after)).to.equal(dayMs);
  });

  it('makes a try that would fall behind the horizon at the horizon', () => {
    const after = stepAfterFailure({
      ...far,
      step: 11,
      horizonAtMs: 76 * hourMs,
      nowMs: 75 * hourMs,
    });
    expect(after).to.deep.equal({ state: 'pending', step: 12, dueAtMs: 76 * hourMs });
  });

  it('ends at the horizon, also for a probe and whatever Retry-After says', () => {
    for (const probe of [false, true]) {
      const after = stepAfterFailure({
        ...far,
        step: 1,
        probe,
        nowMs: 9,
        horizonAtMs: 9,
        retryAfterMs: 5,
      });
      expect(after.state).to.equal('exhausted');
    }
  });

  it('uses up no place for a failed probe, which stays due; Retry-After still postpones', () => {
    const probe = { ...far, probe: true, step: 3, nowMs: 1_000 };
    expect(stepAfterFailure(probe)).to.deep.equal({ state: 'pending', step: 3, dueAtMs: 1_000 });
    const later = stepAfterFailure({ ...probe, retryAfterMs: 500 });
    expect(later).to.deep.equal({ state: 'pending', step: 3, dueAtMs: 1_500 });
  });

  it('probes for as long as the horizon, also past the end of the schedule', () => {
    const after = stepAfterFailure({ ...far, probe: true, step: retryDelaysMs.length });
    expect(after.state).to.equal('pending');
  });
});

const shares = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

function dueAtMs(after: Step): number {
  if (after.state !== 'pending') throw new Error('exhausted');
  return after.dueAtMs;
}

function waitMs(after: Step): number {
  return dueAtMs(after);
}

import { expect } from 'chai';
import fc from 'fast-check';
import { type Breaker, breakerSettings, closedBreaker, evolveBreaker } from './breaker.ts';

const settings = breakerSettings;
const failure = (atMs: number) => ({ delivered: false, probe: false, atMs });
const success = (atMs: number) => ({ delivered: true, probe: false, atMs });

describe('evolveBreaker', () => {
  it('opens after 10 failures in a row, for 5 s', () => {
    const nine = after(
      closedBreaker(0),
      Array.from({ length: 9 }, () => failure(100)),
    );
    expect(nine.probeAtMs).to.equal(null);
    expect(evolveBreaker(nine, failure(200), settings)).to.include({ probeAtMs: 5_200, opened: 1 });
  });

  it('counts a row of failures over any time', () => {
    const slow = Array.from({ length: 10 }, (_, n) => failure(n * 3_600_000));
    expect(after(closedBreaker(0), slow).probeAtMs).not.to.equal(null);
  });

  it('opens when half of 20 attempts within a minute fail, not before', () => {
    const mixed = Array.from({ length: 20 }, (_, n) => (n % 2 ? failure(n) : success(n)));
    expect(after(closedBreaker(0), mixed.slice(0, 19)).probeAtMs).to.equal(null);
    expect(after(closedBreaker(0), mixed).probeAtMs).not.to.equal(null);
  });

  it('forgets a window when its minute is over', () => {
    const mixed = Array.from({ length: 19 }, (_, n) => (n % 2 ? failure(n) : success(n)));
    const late = after(closedBreaker(0), [...mixed, success(60_000), failure(60_001)]);
    expect(late).to.include({ probeAtMs: null, windowAttempts: 2, windowFailures: 1 });
  });

  it('forgets a window of a clock that was set back since', () => {
    const ahead = { ...closedBreaker(3_600_000), windowAttempts: 19, windowFailures: 19 };
    const breaker = evolveBreaker(ahead, failure(0), settings);
    expect(breaker).to.include({ probeAtMs: null, windowStartedAtMs: 0, windowAttempts: 1 });
  });

  it('doubles its wait with each failed probe, up to 5 minutes', () => {
    let breaker = opened();
    const waits = Array.from({ length: 9 }, () => {
      const atMs = breaker.probeAtMs!;
      breaker = evolveBreaker(breaker, { delivered: false, probe: true, atMs }, settings);
      return (breaker.probeAtMs! - atMs) / 1e3;
    });
    expect(waits).to.deep.equal([10, 20, 40, 80, 160, 300, 300, 300, 300]);
  });

  it('closes and forgets everything with a probe that arrives', () => {
    const probe = { delivered: true, probe: true, atMs: 7_000 };
    expect(evolveBreaker(opened(), probe, settings)).to.deep.equal(closedBreaker(7_000));
  });

  it('is moved neither way by what was under way when it opened', () => {
    const breaker = opened();
    expect(evolveBreaker(breaker, failure(5), settings)).to.equal(breaker);
    expect(evolveBreaker(breaker, success(5), settings)).to.equal(breaker);
  });

  it('takes a probe as any other attempt once somebody has closed it', () => {
    const probe = { delivered: false, probe: true, atMs: 1 };
    expect(evolveBreaker(closedBreaker(0), probe, settings)).to.include({
      probeAtMs: null,
      consecutiveFailures: 1,
    });
  });

  it('never waits longer than the limit, and is open exactly while it has a time to probe', () => {
    const attempts = fc.array(
      fc.record({ delivered: fc.boolean(), probe: fc.boolean(), stepMs: fc.nat(30_000) }),
    );
    fc.assert(
      fc.property(attempts, (all) => {
        let breaker = closedBreaker(0);
        let atMs = 0;
        for (const { delivered, probe, stepMs } of all) {
          atMs += stepMs;
          const before = breaker;
          breaker = evolveBreaker(before, { delivered, probe, atMs }, settings);
          expect(breaker.windowFailures).to.be.at.most(breaker.windowAttempts);
          if (breaker.probeAtMs === null) expect(breaker.opened).to.equal(0);
          else if (breaker !== before) {
            expect(breaker.probeAtMs - atMs).to.be.within(settings.openMs, settings.maxOpenMs);
          }
        }
      }),
    );
  });
});

function after(
  breaker: Breaker,
  attempts: readonly Parameters<typeof evolveBreaker>[1][],
): Breaker {
  return attempts.reduce((b, attempt) => evolveBreaker(b, attempt, settings), breaker);
}

function opened(): Breaker {
  return after(
    closedBreaker(0),
    Array.from({ length: 10 }, () => failure(0)),
  );
}

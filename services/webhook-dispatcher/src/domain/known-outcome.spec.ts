import { expect } from 'chai';
import fc from 'fast-check';
import { attempted, expired, resent } from '../testing/facts.ts';
import { foldFacts, isSameStatus, joinStatuses, type DeliveryStatus } from './known-outcome.ts';

describe('what is known of a delivery', () => {
  const id = 'ev-1';
  const status = (...facts: Parameters<typeof foldFacts>[0]) => foldFacts(facts)[0]!.status;

  it('is one outcome for each delivery', () => {
    const facts = [attempted('a', { attempt: 2 }), attempted('b'), attempted('a')];
    expect(foldFacts(facts).map((o) => [o.webhookEventId, o.status.attempts])).to.deep.equal([
      ['a', 2],
      ['b', 1],
    ]);
  });

  it('takes delivered as final within a round, whatever else was attempted in it', () => {
    const delivered = attempted(id, { outcome: 'delivered', attempt: 1 });
    const others = [
      attempted(id, { attempt: 1 }),
      attempted(id, { attempt: 3, outcome: 'exhausted' }),
      expired(id, { attempts: 1 }),
    ];
    for (const other of others) {
      expect(status(delivered, other).state).to.equal('delivered');
      expect(status(other, delivered).state).to.equal('delivered');
    }
  });

  it('starts afresh with a later round, also of a delivered one', () => {
    const facts = [
      attempted(id, { outcome: 'delivered', attempt: 2 }),
      resent(id, { attempts: 2, at: '2026-03-05T09:00:00.000Z' }),
    ];
    expect(status(...facts)).to.deep.equal({
      state: 'pending',
      round: 1,
      attempts: 2,
      step: 0,
      dueMs: Date.parse('2026-03-05T09:00:00.000Z'),
      finishedMs: null,
    });
  });

  it('keeps the number of attempts that a process recorded too late, and nothing else of it', () => {
    const now = [resent(id, { attempts: 3 }), attempted(id, { round: 1, attempt: 4, step: 1 })];
    const late = attempted(id, { round: 0, attempt: 7, outcome: 'delivered' });
    expect(status(...now, late)).to.deep.equal({ ...status(...now), attempts: 7 });
  });

  it('plans a failed probe anew, though it used up no place of the schedule', () => {
    const first = attempted(id, { nextAttemptAt: '2026-03-01T10:00:05.000Z' });
    const probe = attempted(id, {
      attempt: 2,
      step: 1,
      nextAttemptAt: '2026-03-01T10:00:09.000Z',
    });
    expect(new Date(status(probe, first).dueMs).toISOString()).to.equal(probe.nextAttemptAt);
  });

  it('is a join: the same in any order, any grouping and any number of times', () => {
    fc.assert(
      fc.property(anyStatus, anyStatus, anyStatus, (a, b, c) => {
        expectSame(joinStatuses(a, a), a);
        expectSame(joinStatuses(a, b), joinStatuses(b, a));
        expectSame(joinStatuses(joinStatuses(a, b), c), joinStatuses(a, joinStatuses(b, c)));
      }),
      { numRuns: 2_000 },
    );
  });
});

const few = fc.integer({ min: 0, max: 3 });
const anyStatus: fc.Arbitrary<DeliveryStatus> = fc
  .record({
    state: fc.constantFrom('pending' as const, 'delivered' as const, 'exhausted' as const),
    round: fc.integer({ min: 0, max: 1 }),
    attempts: few,
    step: few,
    dueMs: few,
    finishedMs: few,
  })
  .map((s) => ({ ...s, finishedMs: s.state === 'pending' ? null : s.finishedMs }));

function expectSame(a: DeliveryStatus, b: DeliveryStatus): void {
  if (!isSameStatus(a, b)) expect(a).to.deep.equal(b);
}

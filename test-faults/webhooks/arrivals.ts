import { expect } from 'chai';
import type { Arrival } from './receiver.ts';

export function byEvent(arrivals: readonly Arrival[]): Map<string, Arrival[]> {
  return Map.groupBy(arrivals, ({ eventId }) => eventId);
}

/** Sent though the attempt had been sent already, or after the receiver had accepted it. */
export function sentTwice(arrivals: readonly Arrival[]): Set<string> {
  const twice = new Set<string>();
  for (const [eventId, all] of byEvent(arrivals)) {
    const attempts = new Set(all.map(({ attempt }) => attempt));
    const accepted = all.findIndex(({ status }) => status === 200);
    if (attempts.size < all.length || (accepted >= 0 && accepted < all.length - 1)) {
      twice.add(eventId);
    }
  }
  return twice;
}

/** Every one of these was accepted, and all that was sent of it had the same bytes. */
export function expectAccepted(arrivals: readonly Arrival[], eventIds: readonly string[]): void {
  const found = byEvent(arrivals);
  const missing = eventIds.filter((id) => !found.get(id)?.some(({ status }) => status === 200));
  expect(missing, 'never accepted').to.deep.equal([]);
  expect(found.size, 'event ids').to.equal(eventIds.length);
  const changed = eventIds.filter((id) => new Set(found.get(id)!.map((a) => a.body)).size > 1);
  expect(changed, 'bodies that differ').to.deep.equal([]);
}

export function without<T>(all: Iterable<T>, taken: ReadonlySet<T>): T[] {
  return [...all].filter((one) => !taken.has(one));
}

import type { EventRecord } from '@tributary/contracts/event-record';
import { expect } from 'chai';
import { anyDetail, type ExpectedFact } from './expected-facts.ts';

/**
 * Each that is expected and no other, to the last member; only when it could be known is left open.
 */
export function compareFacts(
  actual: ReadonlyMap<string, EventRecord>,
  expected: ReadonlyMap<string, ExpectedFact>,
): void {
  const rows = [...actual].map(([id, fact]) => [id, withoutArrival(fact)] as const);
  expect(sorted(rows)).to.deep.equal(sorted([...expected]));
}

/** As far as it is expected. */
export function withoutArrival({
  receivedAt: _when,
  schemaVersion: _version,
  ...fact
}: EventRecord) {
  const { warnings } = fact;
  if (warnings === undefined) return fact;
  return { ...fact, warnings: warnings.map((warning) => ({ ...warning, detail: anyDetail })) };
}

function sorted<T>(rows: readonly (readonly [string, T])[]): Record<string, T> {
  return Object.fromEntries(rows.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

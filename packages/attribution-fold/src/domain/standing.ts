import { compareCanonical, type Ordered } from '@tributary/contracts/canonical-order';
import type { EventRecord } from '@tributary/contracts/event-record';

/**
 * A fact's place among those of its user. What a backend reported goes before what a browser did
 * (source `widget`), whenever either occurred: anybody can make their own browser say something.
 */
export type Standing = Ordered & { recovered?: true };

export function standingOf(event: Ordered & Pick<EventRecord, 'source'>): Standing {
  const { eventId, occurredAtSeconds, receivedAt } = event;
  const order = { eventId, occurredAtSeconds, receivedAt };
  return isRecovered(event) ? { ...order, recovered: true } : order;
}

/** Backends' facts first, then the canonical order; 0 only for the same event. */
export function compareStanding(a: Standing, b: Standing): number {
  const byTeller = Number(a.recovered ?? false) - Number(b.recovered ?? false);
  return byTeller || compareCanonical(a, b);
}

/** No backend reported it: a browser did, by a link that it had followed. */
export function isRecovered({ source }: Pick<EventRecord, 'source'>): boolean {
  return source === 'widget';
}

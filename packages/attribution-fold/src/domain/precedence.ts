import { compareCanonical, type Ordered } from '@tributary/contracts/canonical-order';
import type { EventRecord } from '@tributary/contracts/event-record';

/**
 * A fact's precedence among those of its user. What a backend reported goes before what a browser
 * did (source `widget`), whenever either occurred: anybody can make their own browser say
 * something.
 */
export type Precedence = Ordered & { recovered?: true };

export function precedenceOf(event: Ordered & Pick<EventRecord, 'source'>): Precedence {
  const { eventId, occurredAtSeconds, receivedAt } = event;
  const order = { eventId, occurredAtSeconds, receivedAt };
  return isRecovered(event) ? { ...order, recovered: true } : order;
}

/** Backends' facts first, then the canonical order; 0 only for the same event. */
export function comparePrecedence(a: Precedence, b: Precedence): number {
  const byTeller = Number(a.recovered ?? false) - Number(b.recovered ?? false);
  return byTeller || compareCanonical(a, b);
}

/** No backend reported it: a browser did, by a link that it had followed. */
export function isRecovered({ source }: Pick<EventRecord, 'source'>): boolean {
  return source === 'widget';
}

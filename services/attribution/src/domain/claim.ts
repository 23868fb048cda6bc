import { compareCanonical } from '@tributary/contracts/canonical-order';
import type { EventSource } from '@tributary/contracts/event-record';
import { type Fact, paymentOf } from './fact.ts';

/**
 * Who holds a business key. Of all facts with one key, whatever becomes of them, the source decides
 * and then the canonical order (design 7); so the holder depends on the set of facts alone.
 */
export type Claim = {
  tenantId: string;
  businessKey: string;
  holder: Holder;
};

export type Holder = {
  eventId: string;
  newUserId: string;
  source: EventSource;
  occurredAtSeconds: string;
  receivedAt: string;
  /** Of a purchase or refund, in minor units. */
  amount?: number;
  currency?: string;
};

/** The best claim on each business key among these facts. */
export function bestClaims(facts: readonly Fact[]): Claim[] {
  const best = new Map<string, Claim>();
  for (const fact of facts) {
    const claim = toClaim(fact);
    const rival = best.get(claim.businessKey);
    if (!rival || beats(claim, rival)) best.set(claim.businessKey, claim);
  }
  return [...best.values()];
}

/** Whether `challenger` takes the key from `present`. */
export function beats(challenger: Claim, present: Claim): boolean {
  const [a, b] = [challenger.holder, present.holder];
  return (sourceRank[a.source] - sourceRank[b.source] || compareCanonical(a, b)) < 0;
}

const sourceRank: Record<EventSource, number> = { v2: 0, processor: 1, legacy: 2, widget: 3 };

function toClaim({ event, businessKey }: Fact): Claim {
  const { tenantId, eventId, source, occurredAtSeconds, receivedAt } = event;
  const holder: Holder = {
    eventId,
    newUserId: event.newUser.id,
    source,
    occurredAtSeconds,
    receivedAt,
  };
  const payment = paymentOf(event);
  if (payment) {
    holder.amount = payment.amount;
    holder.currency = payment.currency;
  }
  return { tenantId, businessKey, holder };
}

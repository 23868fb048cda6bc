import type { EventRecord } from '@tributary/contracts/event-record';
import type { Difference } from '../domain/compare-facts.ts';

/** Where Stripe and the facts here do not agree, as people see it. */
export type Finding = {
  /**
   * missing: Stripe has it, no fact; different: another fact would be made now; extra: a fact only.
   */
  finding: 'missing' | 'different' | 'extra';
  type: 'invoice' | 'checkout-session' | 'refund';
  /** At Stripe. */
  objectId: string;
  /** What is held of it here; of a refund its charge's item. Absent: it was never told of. */
  itemId?: string;
  state?: string;
  reason?: string;
  /** RFC 3339 UTC. */
  occurredAt: string;
  /** For missing ones in Stripe's minor units, else as the fact has it; null: not known. */
  amount: number | null;
  /** Upper case. */
  currency: string | null;
  differences?: Difference[];
  /** For an extra one: what Stripe says of it. */
  detail?: string;
  /** It was missing, and is on the log now. */
  appended?: true;
};

/** A time without end, which Stripe did not say, is the last there is. */
export function momentOf(seconds: number): string {
  return new Date(Math.min(seconds, lastSecond) * 1_000).toISOString().replace('.000Z', 'Z');
}

/** What a finding says of a fact that is there. */
export function figuresOf(fact: EventRecord): Pick<Finding, 'occurredAt' | 'amount' | 'currency'> {
  const { occurredAt } = fact;
  const payment =
    fact.eventType === 'purchase-created'
      ? fact.purchase
      : fact.eventType === 'purchase-refunded'
        ? fact.refund
        : undefined;
  return { occurredAt, amount: payment?.amount ?? null, currency: payment?.currency ?? null };
}

/** In the year 9999. */
const lastSecond = 253_402_300_799;

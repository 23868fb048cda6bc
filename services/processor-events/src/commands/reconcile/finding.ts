import type { Static } from '@sinclair/typebox';
import type { ReconciledPage } from '@tributary/contracts/admin/processor-answers';
import type { EventRecord } from '@tributary/contracts/event-record';

/** Where Stripe and the facts here do not agree, as people see it. */
/**
 * missing: Stripe has it, no fact; different: another fact would be made now; extra: a fact only.
 * Its `itemId`, `state` and `reason` are those of what is held here; without, it was never
 * reported. The amount of a missing one is in Stripe's minor units, else as the fact has it.
 */
export type Finding = Static<typeof ReconciledPage>['findings'][number];

/** A time without end, which Stripe did not say, is the last there is. */
export function momentOf(seconds: number): string {
  return new Date(Math.min(seconds, lastSecond) * 1_000).toISOString().replace('.000Z', 'Z');
}

/** What a finding says of a fact that is there. */
export function amountsOf(fact: EventRecord): Pick<Finding, 'occurredAt' | 'amount' | 'currency'> {
  const { occurredAt } = fact;
  const payment =
    fact.eventType === 'purchase-created'
      ? fact.purchase
      : fact.eventType === 'purchase-refunded'
        ? fact.refund
        : undefined;
  return { occurredAt, amount: payment?.amount ?? null, currency: payment?.currency ?? null };
}

/** The last of the year 9999. */
const lastSecond = 253_402_300_799;

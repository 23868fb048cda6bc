import type { EventRecord, Payment } from '@tributary/contracts/event-record';

export type Difference = {
  /** JSON Pointer into the fact. */
  pointer: string;
  ours: string | number | null;
  wanted: string | number | null;
};

/**
 * In what a fact that was reported differs from the one that Stripe's objects would give today.
 * Not compared: when it was received, its warnings, and the identity, as the metadata of a customer
 * may have changed since; of the other names only those that the reported fact lacks count.
 */
export function differencesOf(ours: EventRecord, wanted: EventRecord): Difference[] {
  const [a, b] = [comparedOf(ours), comparedOf(wanted)];
  const pointers = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort();
  const differences = pointers
    .map((pointer) => ({ pointer, ours: a[pointer] ?? null, wanted: b[pointer] ?? null }))
    .filter((each) => each.ours !== each.wanted);
  return [...differences, ...missingAliases(ours, wanted)];
}

type Compared = Record<string, string | number>;

function comparedOf(fact: EventRecord): Compared {
  const { eventType, occurredAt } = fact;
  const compared: Compared = { '/eventType': eventType, '/occurredAt': occurredAt };
  const [name, payment] = paymentOf(fact);
  if (!payment) return compared;
  for (const member of ['invoiceId', 'currency', 'amount', 'refundId'] as const) {
    const value = payment[member];
    if (value !== undefined) compared[`/${name}/${member}`] = value;
  }
  for (const [member, value] of Object.entries(payment.subscription ?? {})) {
    compared[`/${name}/subscription/${member}`] = value;
  }
  return compared;
}

function missingAliases(ours: EventRecord, wanted: EventRecord): Difference[] {
  const [, payment] = paymentOf(ours);
  const [name, other] = paymentOf(wanted);
  if (!payment || !other) return [];
  const known = new Set([payment.invoiceId, ...(payment.aliases ?? [])]);
  return (other.aliases ?? [])
    .filter((alias) => !known.has(alias))
    .map((alias) => ({ pointer: `/${name}/aliases`, ours: null, wanted: alias }));
}

function paymentOf(fact: EventRecord): [string, Payment | undefined] {
  switch (fact.eventType) {
    case 'purchase-created':
      return ['purchase', fact.purchase];
    case 'purchase-refunded':
      return ['refund', fact.refund];
    case 'signup-created':
    case 'demo-attended':
      return ['', undefined];
    default:
      return fact satisfies never;
  }
}

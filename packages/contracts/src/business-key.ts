import { createHash } from 'node:crypto';

/**
 * What an event counts as in business terms: one such key earns once, across all sources and
 * without expiry (design 4, promise 3). The text of a JSON array, so that no id can imitate a
 * separator.
 */
export function purchaseBusinessKey(tenantId: string, invoiceId: string): string {
  return JSON.stringify(['purchase', tenantId, invoiceId]);
}

export function signupBusinessKey(tenantId: string, newUserId: string): string {
  return JSON.stringify(['signup', tenantId, newUserId]);
}

export function demoBusinessKey(tenantId: string, newUserId: string): string {
  return JSON.stringify(['demo', tenantId, newUserId]);
}

/**
 * One refund of an invoice. Several partial refunds are distinguished by the caller's idempotency
 * key, else by what was refunded when (design 7, "Business keys"). The source is part of the key:
 * what two sources report of one invoice is compared by sums.
 */
export function refundBusinessKey(
  tenantId: string,
  refund: {
    invoiceId: string;
    source: string;
    /** The processor's id of this refund; tells more than all that follow. */
    refundId?: string | undefined;
    idempotencyKey?: string | undefined;
    /** Exact decimal seconds since the epoch; empty when no time was reported. */
    occurredAtSeconds: string;
    amount: number;
  },
): string {
  const { invoiceId, source, refundId, idempotencyKey, occurredAtSeconds, amount } = refund;
  let parts: unknown[] = [occurredAtSeconds, amount];
  if (idempotencyKey !== undefined) parts = ['idempotency', idempotencyKey];
  if (refundId !== undefined) parts = ['refund', refundId];
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  return JSON.stringify(['refund', tenantId, invoiceId, source, digest]);
}

/**
 * Identifies a legacy purchase or refund that was sent without an invoice id: a digest of
 * everything that tells one payment from another (design 7, "Business keys"). It is weaker than an
 * invoice id, so what is decided by it is flagged.
 */
export function legacyPaymentBusinessKey(
  kind: 'legacy-purchase' | 'legacy-refund',
  tenantId: string,
  payment: {
    newUserId: string;
    trigger: string;
    /** The timestamp text as it was sent. */
    rawTimestamp: string;
    amount: number;
    currency: string;
    subscriptionId?: string | undefined;
  },
): string {
  const { newUserId, trigger, rawTimestamp, amount, currency, subscriptionId } = payment;
  const parts = [newUserId, trigger, rawTimestamp, amount, currency, subscriptionId ?? null];
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  return JSON.stringify([kind, tenantId, digest]);
}

/**
 * The n-th payment of those that share a digest: legacy payments with neither invoice id nor
 * timestamp that came too far apart to be repeats (decision 17). The first keeps the key of all.
 */
export function nthPaymentBusinessKey(key: string, number: number): string {
  if (number === 1) return key;
  return JSON.stringify([...(JSON.parse(key) as unknown[]), number]);
}

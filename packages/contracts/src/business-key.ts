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

/**
 * Of a legacy purchase that was sent without an invoice id: a digest of all that tells one payment
 * from another (design 7, "Business keys"). Weaker than an invoice id, so what is decided by it is
 * flagged.
 */
export function legacyPurchaseBusinessKey(
  tenantId: string,
  purchase: {
    newUserId: string;
    trigger: string;
    /** The timestamp text as it was sent. */
    rawTimestamp: string;
    amount: number;
    currency: string;
    subscriptionId?: string | undefined;
  },
): string {
  const { newUserId, trigger, rawTimestamp, amount, currency, subscriptionId } = purchase;
  const told = [newUserId, trigger, rawTimestamp, amount, currency, subscriptionId ?? null];
  const digest = createHash('sha256').update(JSON.stringify(told)).digest('hex');
  return JSON.stringify(['legacy-purchase', tenantId, digest]);
}

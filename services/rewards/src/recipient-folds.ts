import type { RecipientRow } from './adapters/postgres/recipients.ts';
import { factName, recipientName } from './distinct.ts';
import { type Claim, entitleDecision } from './domain/entitle-decision.ts';
import type { Entitlement, Issuance, RecipientKey } from './domain/entitlement.ts';
import type { RecipientFold } from './domain/fold-recipient.ts';

/** A recipient and a business fact that rewards it, or once did. */
export type Touch = RecipientKey & { businessKey: string };

/** Who a claim rewards. When its rule cannot be applied, its referrer's fold will say so. */
export function touchesOf(claim: Claim): Touch[] {
  const { tenantId, businessKey, referrerId } = claim.decision;
  try {
    return entitleDecision(claim).map(({ recipientId }) => ({
      tenantId,
      recipientId,
      businessKey,
    }));
  } catch {
    return referrerId === undefined ? [] : [{ tenantId, recipientId: referrerId, businessKey }];
  }
}

/** Rewards that the claims will touch: a stub has no business key and is found by id alone. */
export function rewardIdsOf(claims: readonly Claim[]): string[] {
  return claims.flatMap((claim) => {
    try {
      return entitleDecision(claim).map((target) => target.rewardId);
    } catch {
      return [];
    }
  });
}

/** Deals out what was read for a batch: to each recipient its own. */
export function dealFolds(read: {
  recipients: readonly RecipientRow[];
  touches: readonly Touch[];
  claims: readonly Claim[];
  stored: readonly Entitlement[];
  facts: readonly Issuance[];
}): RecipientFold[] {
  const touches = Map.groupBy(read.touches, recipientName);
  const claims = Map.groupBy(read.claims, (claim) => factName(claim.decision));
  const stored = Map.groupBy(read.stored, recipientName);
  const facts = Map.groupBy(read.facts, recipientName);

  return read.recipients.map(({ tenantId, recipientId, totals }) => {
    const name = recipientName({ tenantId, recipientId });
    const businessKeys = new Set(touches.get(name)?.map((touch) => touch.businessKey));
    return {
      recipient: { tenantId, recipientId },
      totals,
      businessKeys,
      claims: [...businessKeys].flatMap(
        (businessKey) => claims.get(factName({ tenantId, businessKey })) ?? [],
      ),
      stored: stored.get(name) ?? [],
      facts: facts.get(name) ?? [],
    };
  });
}

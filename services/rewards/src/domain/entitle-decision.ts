import type { CampaignRevisionRecord, CampaignRule } from '@tributary/contracts/catalog-record';
import type { DecisionRecord } from '@tributary/contracts/decision-record';
import { derivedId } from '@tributary/contracts/derived-id';
import { type Credits, formatCredits, parseCredits, roundCredits } from './credits.ts';
import type { Cause, RecipientKey } from './entitlement.ts';

/** A current decision together with the campaign revision it names, once that has arrived. */
export type Claim = { decision: DecisionRecord; revision?: CampaignRevisionRecord };

/** What a decision gives under its revision, before anything is compared with what is stored. */
export type Target = RecipientKey & {
  rewardId: string;
  campaignId: string;
  credits: Credits;
  cause: Cause;
  explanation: string[];
};

/** Nothing unless the decision is attributed and its revision is known. */
export function entitleDecision({ decision, revision }: Claim): Target[] {
  const { referrerId, outcome } = decision;
  if (outcome !== 'attributed' || referrerId === undefined || !revision) return [];
  return revision.rules
    .filter((rule) => rule.trigger === decision.eventType)
    .map((rule) => applyRule(decision, revision, rule, referrerId));
}

function applyRule(
  decision: DecisionRecord,
  revision: CampaignRevisionRecord,
  rule: CampaignRule,
  recipientId: string,
): Target {
  const { tenantId, businessKey } = decision;
  const credits = roundCredits(parseCredits(rule.effect.credits), revision.creditScale);
  return {
    rewardId: derivedId('reward', tenantId, businessKey, rule.ruleId, rule.recipient, recipientId),
    tenantId,
    recipientId,
    campaignId: revision.campaignId,
    credits,
    cause: {
      campaignRevision: revision.revision,
      ruleId: rule.ruleId,
      recipientRole: rule.recipient,
      businessKey,
      eventId: decision.eventId,
      decisionId: decision.decisionId,
      decisionVersion: decision.version,
      occurredAtSeconds: decision.occurredAtSeconds,
      receivedAt: decision.receivedAt,
    },
    explanation: [
      factSentence(decision),
      `Code ${quoted(decision.ucc)} belongs to referrer ${quoted(recipientId)} in campaign ` +
        `${quoted(revision.campaignId)}; revision ${revision.revision} applied at that time.`,
      `Rule ${quoted(rule.ruleId)} gives the referrer ${formatCredits(credits)} credits ` +
        `for each ${rule.trigger === 'purchase-created' ? 'purchase' : 'signup'}.`,
    ],
  };
}

function factSentence({ newUserId, purchase, occurredAt }: DecisionRecord): string {
  const user = `User ${quoted(newUserId)}`;
  if (!purchase) return `${user} signed up at ${occurredAt}.`;
  const invoice =
    purchase.invoiceId === undefined ? '' : ` on invoice ${quoted(purchase.invoiceId)}`;
  return `${user} paid ${purchase.amount} ${purchase.currency} (minor units)${invoice} at ${occurredAt}.`;
}

export function quoted(text: string): string {
  return JSON.stringify(text);
}

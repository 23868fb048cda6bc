import type { CampaignRevisionRecord } from '@tributary/contracts/catalog-record';
import { type Limit, limitsOf } from './terms.ts';
import { thresholdsOf } from './tiers.ts';
import { type RecipientRole, rolesOf } from './candidate-reward.ts';

/**
 * What rules of a campaign look back at; taken over all its revisions, for any may have decided.
 */
export type LookBack = {
  /** Some rule rewards new users: they are recipients too. */
  newUsers: boolean;
  /** Some rule has a limit per referral. */
  referrals: boolean;
  /** Counts of users at which some tier begins; from the second user on. */
  thresholds: readonly number[];
  /** Kinds of limits per recipient that a rule has, or had, for a role. */
  limits: (ruleId: string, role: RecipientRole) => readonly LimitKind[];
  /** There is a limit per recipient at all. */
  limited: boolean;
};

export type LimitKind = Omit<Limit, 'cap'>;

export type CampaignKey = { tenantId: string; campaignId: string };

export function campaignName({ tenantId, campaignId }: CampaignKey): string {
  return JSON.stringify([tenantId, campaignId]);
}

export function lookBackOf(revisions: readonly CampaignRevisionRecord[]): LookBack {
  const rules = revisions.flatMap((revision) => revision.rules);
  const kinds = new Map<string, Map<string, LimitKind>>();
  for (const rule of rules) {
    for (const role of rolesOf(rule)) {
      const name = JSON.stringify([rule.ruleId, role]);
      const known = kinds.get(name) ?? new Map<string, LimitKind>();
      for (const { period, measure } of limitsOf(rule)) {
        known.set(`${period} ${measure}`, { period, measure });
      }
      kinds.set(name, known);
    }
  }
  const thresholds = new Set(revisions.flatMap(thresholdsOf).filter((count) => count > 1));
  return {
    newUsers: rules.some((rule) => rule.recipient !== 'referrer'),
    referrals: rules.some(
      ({ limits }) => limits?.firstPurchases !== undefined || limits?.months !== undefined,
    ),
    thresholds: [...thresholds].sort((a, b) => a - b),
    limits: (ruleId, role) => [...(kinds.get(JSON.stringify([ruleId, role]))?.values() ?? [])],
    limited: [...kinds.values()].some((known) => known.size > 0),
  };
}

export const nothingToLookBackAt: LookBack = lookBackOf([]);

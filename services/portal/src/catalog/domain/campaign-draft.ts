import { canonicalJson } from '@tributary/contracts/canonical-json';
import type { CampaignRule } from '@tributary/contracts/campaign-rule';
import type { CampaignRevisionRecord } from '@tributary/contracts/catalog-record';
import { always } from '@tributary/contracts/revision-in-force';

/** What a revision says beside its name, times, scale and rules. */
export type CampaignSettings = Pick<
  CampaignRevisionRecord,
  | 'attributionWindowDays'
  | 'referralLoops'
  | 'existingUsers'
  | 'ruleMatching'
  | 'newUserDiscountBasisPoints'
  | 'newUserDiscountMonth'
>;

/** A campaign as an operator writes it: a revision without its number. */
export type CampaignDraft = Pick<
  CampaignRevisionRecord,
  'name' | 'status' | 'landingUrl' | 'creditScale' | 'rules'
> &
  CampaignSettings & {
    /** UTC with milliseconds; undefined: see {@link nextRevision}. */
    effectiveFrom: string | undefined;
  };

export type CampaignRevision = Omit<CampaignDraft, 'effectiveFrom'> & {
  campaignId: string;
  revision: number;
  effectiveFrom: string;
};

export type RevisionStart = Pick<CampaignRevision, 'revision' | 'effectiveFrom'>;

/** The settings alone, as they are kept beside the other members. */
export function settingsOf(from: CampaignSettings): CampaignSettings {
  const { attributionWindowDays, referralLoops, existingUsers, ruleMatching } = from;
  const { newUserDiscountBasisPoints, newUserDiscountMonth } = from;
  const all = {
    attributionWindowDays,
    referralLoops,
    existingUsers,
    ruleMatching,
    newUserDiscountBasisPoints,
    newUserDiscountMonth,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

/**
 * What to do with a draft, given the newest revision. The same draft again is the same revision
 * (a client that lost the answer repeats its request), also when its effectiveFrom has passed
 * meanwhile. A draft without effectiveFrom means now, so a newest revision that does not hold yet
 * is not the same, nor is one that holds no more because an older one took over at `takenOverAt`;
 * the first revision of a campaign without effectiveFrom holds from always, since nothing can have
 * been decided under another.
 */
export function nextRevision(
  draft: CampaignDraft,
  newest: CampaignRevision | undefined,
  campaignId: string,
  now: string,
  takenOverAt?: string,
): { outcome: 'same' | 'new'; revision: CampaignRevision } | { outcome: 'back-dated' } {
  const holds = newest !== undefined && isInForce(newest, now, takenOverAt);
  if (newest !== undefined && sameContent(draft, newest) && sameStart(draft, newest, holds)) {
    return { outcome: 'same', revision: newest };
  }
  // Facts from before now are already decided; only a replay may evaluate them again (design 7).
  if (draft.effectiveFrom !== undefined && draft.effectiveFrom < now) {
    return { outcome: 'back-dated' };
  }
  const effectiveFrom = draft.effectiveFrom ?? (newest === undefined ? always : now);
  const revision = (newest?.revision ?? 0) + 1;
  return { outcome: 'new', revision: { ...draft, campaignId, revision, effectiveFrom } };
}

function isInForce(
  { effectiveFrom }: CampaignRevision,
  now: string,
  takenOverAt?: string,
): boolean {
  return effectiveFrom <= now && (takenOverAt === undefined || takenOverAt > now);
}

function sameStart(draft: CampaignDraft, newest: CampaignRevision, holds: boolean): boolean {
  if (draft.effectiveFrom === undefined) return holds;
  return draft.effectiveFrom === newest.effectiveFrom;
}

function sameContent(draft: CampaignDraft, newest: CampaignRevision): boolean {
  return contentOf(draft) === contentOf(newest);
}

/**
 * Names sorted, since jsonb does not keep the order of the request, and defaults written out: a
 * member that is left out says the same as one with its default.
 */
function contentOf(from: Omit<CampaignDraft, 'effectiveFrom'>): string {
  const { name, status, landingUrl, creditScale, rules } = from;
  const defaults = { referralLoops: 'reject', existingUsers: 'include', ruleMatching: 'all' };
  const settings = { ...defaults, ...settingsOf(from) };
  const content = { name, status, landingUrl, creditScale, rules: rules.map(whole), ...settings };
  return canonicalJson(content);
}

function whole({ conditions = {}, limits = {}, ...rule }: CampaignRule): CampaignRule {
  return { holdDays: 0, refundPolicy: 'proportional', conditions, limits, ...rule };
}

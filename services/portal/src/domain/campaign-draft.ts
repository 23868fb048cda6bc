import type { CampaignRevisionRecord, CampaignRule } from '@tributary/contracts/catalog-record';
import { always } from '@tributary/contracts/revision-in-force';
import type { Violation } from '@tributary/contracts/violation';

/** A campaign as an operator writes it: a revision without its number. */
export type CampaignDraft = Pick<
  CampaignRevisionRecord,
  'name' | 'status' | 'landingUrl' | 'creditScale' | 'rules'
> & {
  /** UTC with milliseconds; undefined: see {@link nextRevision}. */
  effectiveFrom: string | undefined;
};

export type CampaignRevision = Omit<CampaignDraft, 'effectiveFrom'> & {
  campaignId: string;
  revision: number;
  effectiveFrom: string;
};

/** Ids of rules are unique, and credits have no more decimals than the campaign counts in. */
export function judgeRules(rules: readonly CampaignRule[], creditScale: number): Violation[] {
  return rules.flatMap((rule, i) => {
    const violations: Violation[] = [];
    const first = rules.findIndex(({ ruleId }) => ruleId === rule.ruleId);
    if (first !== i) {
      violations.push({
        pointer: `/rules/${i}/ruleId`,
        code: 'INVALID_FORMAT',
        detail: `must differ from the ruleId of rule ${first}: it names what was paid`,
      });
    }
    if (decimalsOf(rule.effect.credits) > creditScale) {
      violations.push({
        pointer: `/rules/${i}/effect/credits`,
        code: 'OUT_OF_RANGE',
        detail: `must have at most ${creditScale} decimals, which is the creditScale of the campaign`,
      });
    }
    return violations;
  });
}

/**
 * What to do with a draft, given the newest revision. The same draft again is the same revision
 * (a client that lost the answer repeats its request), also when its effectiveFrom has passed
 * meanwhile. A draft without effectiveFrom means now, so a newest revision that does not hold yet
 * is not the same; the first revision of a campaign without effectiveFrom holds from always, since
 * nothing can have been decided under another.
 */
export function nextRevision(
  draft: CampaignDraft,
  newest: CampaignRevision | undefined,
  campaignId: string,
  now: string,
): { outcome: 'same' | 'new'; revision: CampaignRevision } | { outcome: 'back-dated' } {
  if (newest !== undefined && sameContent(draft, newest) && sameStart(draft, newest, now)) {
    return { outcome: 'same', revision: newest };
  }
  // Facts from before now are already decided; only a replay may judge them again (design 7).
  if (draft.effectiveFrom !== undefined && draft.effectiveFrom < now) {
    return { outcome: 'back-dated' };
  }
  const effectiveFrom = draft.effectiveFrom ?? (newest === undefined ? always : now);
  const revision = (newest?.revision ?? 0) + 1;
  return { outcome: 'new', revision: { ...draft, campaignId, revision, effectiveFrom } };
}

function sameStart(draft: CampaignDraft, newest: CampaignRevision, now: string): boolean {
  if (draft.effectiveFrom === undefined) return newest.effectiveFrom <= now;
  return draft.effectiveFrom === newest.effectiveFrom;
}

function sameContent(draft: CampaignDraft, newest: CampaignRevision): boolean {
  return contentOf(draft) === contentOf(newest);
}

/** Members in one order: jsonb does not keep that of the request. */
function contentOf(from: Omit<CampaignDraft, 'effectiveFrom'>): string {
  const { name, status, landingUrl, creditScale, rules } = from;
  return JSON.stringify([name, status, landingUrl, creditScale, rules.map(contentOfRule)]);
}

function contentOfRule({ ruleId, trigger, recipient, effect }: CampaignRule): unknown {
  return [ruleId, trigger, recipient, effect.kind, effect.credits];
}

function decimalsOf(credits: string): number {
  return credits.split('.')[1]?.length ?? 0;
}

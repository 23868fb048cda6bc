import type { CampaignRevisionRecord } from '@tributary/contracts/catalog-record';
import type { Tx } from '@tributary/runtime/postgres';
import { readRevisionNames, readRevisions, type RevisionName } from '../db/campaign-revisions.ts';
import type { FoldedDecision } from '@tributary/rewards-fold/folded-decision';
import {
  type CampaignKey,
  campaignName,
  type LookBack,
  lookBackOf,
} from '@tributary/rewards-fold/look-back';
import type { Claim } from '@tributary/rewards-fold/step';

export type Revisions = {
  /** Puts the campaign revision that each decision names beside it, where it has arrived. */
  claimsOf(tx: Tx, decisions: readonly FoldedDecision[]): Promise<Claim[]>;
  /**
   * What rules of these campaigns look back at, by all revisions that the transaction can see: a
   * step of any of them may have been folded by another process a moment ago.
   */
  lookBacksOf(tx: Tx, campaigns: readonly CampaignKey[]): Promise<Map<string, LookBack>>;
};

/** Revisions are immutable, so a process may remember them for as long as it likes. */
export function createRevisions({ maxRemembered = 10_000 } = {}): Revisions {
  const remembered = new Map<string, CampaignRevisionRecord>();
  const lookBacks = new Map<string, { of: string; lookBack: LookBack }>();

  /** Those that have arrived. Nobody relies on what is remembered longer than it takes to ask. */
  async function load(
    tx: Tx,
    names: readonly RevisionName[],
  ): Promise<ReadonlyMap<string, CampaignRevisionRecord>> {
    const found = new Map<string, CampaignRevisionRecord>();
    const missing = new Map<string, RevisionName>();
    for (const name of names) {
      const known = remembered.get(keyOf(name));
      if (known) found.set(keyOf(name), known);
      else missing.set(keyOf(name), name);
    }
    if (missing.size === 0) return found;
    if (remembered.size > maxRemembered) remembered.clear();
    for (const revision of await readRevisions(tx, [...missing.values()])) {
      remembered.set(keyOf(revision), revision);
      found.set(keyOf(revision), revision);
    }
    return found;
  }

  function lookBack(
    campaign: string,
    names: readonly RevisionName[],
    loaded: ReadonlyMap<string, CampaignRevisionRecord>,
  ): LookBack {
    const of = names.map((name) => name.revision).join();
    const known = lookBacks.get(campaign);
    if (known?.of === of) return known.lookBack;
    if (lookBacks.size > maxRemembered) lookBacks.clear();
    const found = lookBackOf(names.flatMap((name) => loaded.get(keyOf(name)) ?? []));
    lookBacks.set(campaign, { of, lookBack: found });
    return found;
  }

  return {
    async lookBacksOf(tx, campaigns) {
      const names = await readRevisionNames(tx, campaigns);
      const loaded = await load(tx, names);
      return new Map(
        [...Map.groupBy(names, campaignName)].map(([campaign, own]) => [
          campaign,
          lookBack(campaign, own, loaded),
        ]),
      );
    },

    async claimsOf(tx, decisions) {
      const loaded = await load(
        tx,
        decisions.flatMap((d) => nameOf(d) ?? []),
      );
      return decisions.map((decision) => {
        const name = nameOf(decision);
        const revision = name && loaded.get(keyOf(name));
        return revision ? { decision, revision } : { decision };
      });
    },
  };
}

function nameOf(decision: FoldedDecision): RevisionName | undefined {
  const { tenantId, campaignId, campaignRevision } = decision;
  if (decision.outcome !== 'attributed') return undefined;
  if (campaignId === undefined || campaignRevision === undefined) return undefined;
  return { tenantId, campaignId, revision: campaignRevision };
}

/** Attributed under a revision that is not here yet. */
export function isWaiting({ decision, revision }: Claim): boolean {
  return revision === undefined && nameOf(decision) !== undefined;
}

function keyOf({ tenantId, campaignId, revision }: RevisionName): string {
  return JSON.stringify([tenantId, campaignId, revision]);
}

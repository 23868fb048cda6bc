import type { CampaignRevisionRecord } from '@tributary/contracts/catalog-record';
import type { DecisionRecord } from '@tributary/contracts/decision-record';
import type { Tx } from '@tributary/runtime/postgres';
import { readRevisions, type RevisionName } from './adapters/postgres/campaign-revisions.ts';
import type { Claim } from './domain/entitle-decision.ts';

/** Puts the campaign revision that each decision names beside it, where it has arrived. */
export type Revisions = {
  claimsOf(tx: Tx, decisions: readonly DecisionRecord[]): Promise<Claim[]>;
};

/** Revisions are immutable, so a process may remember them for as long as it likes. */
const maxRemembered = 10_000;

export function createRevisions(): Revisions {
  const remembered = new Map<string, CampaignRevisionRecord>();

  async function load(tx: Tx, names: readonly RevisionName[]): Promise<void> {
    const missing = new Map(
      names.filter((n) => !remembered.has(keyOf(n))).map((n) => [keyOf(n), n] as const),
    );
    if (missing.size === 0) return;
    if (remembered.size > maxRemembered) remembered.clear();
    for (const revision of await readRevisions(tx, [...missing.values()])) {
      remembered.set(keyOf(revision), revision);
    }
  }

  return {
    async claimsOf(tx, decisions) {
      await load(
        tx,
        decisions.flatMap((d) => nameOf(d) ?? []),
      );
      return decisions.map((decision) => {
        const name = nameOf(decision);
        const revision = name && remembered.get(keyOf(name));
        return revision ? { decision, revision } : { decision };
      });
    },
  };
}

function nameOf(decision: DecisionRecord): RevisionName | undefined {
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

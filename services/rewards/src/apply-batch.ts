import type { CatalogRecord } from '@tributary/contracts/catalog-record';
import type { DecisionRecord } from '@tributary/contracts/decision-record';
import type { IssuanceRecord } from '@tributary/contracts/issuance-record';
import type { Incoming } from '@tributary/event-log/projection';
import type { Tx } from '@tributary/runtime/postgres';
import { insertRevisions } from './adapters/postgres/campaign-revisions.ts';
import { readPosted } from './adapters/postgres/issuances.ts';
import type { FoldFacts } from './fold-facts.ts';

export const decisionsSource = 'attributions';
export const issuancesSource = 'issuances';
export const catalogSource = 'catalog';

/** One partition's records, in order, into the caller's transaction. */
export function createApplyBatch(options: {
  applyDecisions: (tx: Tx, batch: readonly DecisionRecord[]) => Promise<void>;
  foldFacts: FoldFacts;
}): (tx: Tx, batch: readonly Incoming[]) => Promise<void> {
  const { applyDecisions, foldFacts } = options;

  /**
   * Mostly facts that this service wrote and counted itself. The others are news to a schema that
   * was dropped or restored: they are kept and counted, and so never granted again.
   */
  async function applyIssuances(tx: Tx, facts: readonly IssuanceRecord[]): Promise<void> {
    const posted = await readPosted(
      tx,
      facts.map((fact) => fact.issuanceId),
    );
    const news = facts.filter((fact) => !posted.has(fact.issuanceId));
    if (news.length > 0) await foldFacts(tx, { facts: [], touches: [], issuances: news });
  }

  /** Decisions that waited for a revision are woken by the sweeper once both are committed. */
  async function applyCatalog(tx: Tx, records: readonly CatalogRecord[]): Promise<void> {
    const revisions = records.filter((record) => record.entity === 'campaign-revision');
    if (revisions.length > 0) await insertRevisions(tx, revisions);
  }

  return async function applyBatch(tx, batch) {
    const values = batch.map((incoming) => incoming.value).filter((value) => value !== null);
    switch (batch[0]?.source) {
      case decisionsSource:
        return applyDecisions(tx, values as DecisionRecord[]);
      case issuancesSource:
        return applyIssuances(tx, values as IssuanceRecord[]);
      case catalogSource:
        return applyCatalog(tx, values as CatalogRecord[]);
      default:
        throw new Error(`no such source: ${batch[0]?.source}`);
    }
  };
}

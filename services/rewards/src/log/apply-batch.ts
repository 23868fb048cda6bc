import type { CatalogRecord } from '@tributary/contracts/catalog-record';
import type { DecisionRecord } from '@tributary/contracts/decision-record';
import type { IssuanceFact } from '@tributary/contracts/issuance-record';
import type { Incoming } from '@tributary/event-log/projection';
import { noteSpans } from '@tributary/event-log/record-traces';
import type { Tx } from '@tributary/runtime/postgres';
import { insertRevisions } from '../db/campaign-revisions.ts';
import { readPosted } from '../db/issuances.ts';
import { lockRecipients } from '../db/recipients.ts';
import type { CountActions } from '../fold/count-actions.ts';
import { distinctRecipients } from '../fold/distinct.ts';
import type { FoldFacts } from '../fold/fold-facts.ts';

export const decisionsSource = 'attributions';
export const issuancesSource = 'issuances';
export const catalogSource = 'catalog';

/** One partition's records, in order, into the caller's transaction. */
export function createApplyBatch(options: {
  applyDecisions: (tx: Tx, batch: readonly DecisionRecord[]) => Promise<void>;
  foldFacts: FoldFacts;
  countActions: CountActions;
}): (tx: Tx, batch: readonly Incoming[]) => Promise<void> {
  const { applyDecisions, foldFacts, countActions } = options;

  /**
   * Mostly facts that this service wrote and counted itself. The others are news to a schema that
   * was dropped or restored: they are kept and counted, and so never granted or said again.
   */
  async function applyIssuances(tx: Tx, facts: readonly IssuanceFact[]): Promise<void> {
    const issued = facts.filter((fact) => fact.type === 'issued');
    const posted = await readPosted(
      tx,
      issued.map((fact) => fact.issuanceId),
    );
    const issuances = issued.filter((fact) => !posted.has(fact.issuanceId));
    const actions = await countActions.chooseUncounted(
      tx,
      facts.filter((fact) => fact.type !== 'issued'),
    );
    // The two lock their recipients one after the other; in one order only together.
    if (issuances.length > 0 && actions.length > 0) {
      await lockRecipients(tx, distinctRecipients([...issuances, ...actions]));
    }
    if (issuances.length > 0) await foldFacts(tx, { changes: [], touches: [], issuances });
    if (actions.length > 0) await countActions.count(tx, actions);
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
        noteSpans(tx, batch as readonly Incoming<DecisionRecord>[], (d) => d.decisionId);
        return applyDecisions(tx, values as DecisionRecord[]);
      case issuancesSource:
        return applyIssuances(tx, values as IssuanceFact[]);
      case catalogSource:
        return applyCatalog(tx, values as CatalogRecord[]);
      default:
        throw new Error(`no such source: ${batch[0]?.source}`);
    }
  };
}

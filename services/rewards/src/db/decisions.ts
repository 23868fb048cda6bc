import type { Tx } from '@tributary/runtime/postgres';
import type { BusinessFact } from '@tributary/rewards-fold/fold-tables';
import type { FoldedDecision } from '@tributary/rewards-fold/folded-decision';
import { decisionFromList, type DecisionList, decisionToList } from './decision-list.ts';

export type DecisionStatus = 'folded' | 'waiting-for-revision';

export type DecisionRow = { decision: FoldedDecision; status: DecisionStatus };

/** What was stored before; undefined for a decision that is new. */
export type DecisionHead = BusinessFact & { version: number };

/**
 * Locks the decisions, in one order everywhere. A new one is written in the same statement (most
 * are new); of the others it says what is stored and leaves it as it is.
 */
export async function insertOrLockDecisions(
  tx: Tx,
  rows: readonly DecisionRow[],
): Promise<Map<string, DecisionHead>> {
  const found = await tx.query<{
    inserted: boolean;
    decision_id: string;
    version: number;
    tenant_id: string;
    business_key: string;
  }>({
    name: 'insert_or_lock_decisions',
    // xmax is the transaction that locked this row version: zero for a row just inserted.
    text: `insert into decision (${columns})
           select ${columns} from ${incoming}
           order by decision_id collate "C"
           on conflict (decision_id) do update set version = decision.version
           returning xmax = 0 as inserted, decision_id, version, tenant_id, business_key`,
    values: valuesOf(rows),
  });
  return new Map(
    found.rows
      .filter((row) => !row.inserted)
      .map((row) => [
        row.decision_id,
        { version: row.version, tenantId: row.tenant_id, businessKey: row.business_key },
      ]),
  );
}

/** Replaces decisions that are locked. */
export async function writeDecisions(tx: Tx, rows: readonly DecisionRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.query({
    name: 'write_decisions',
    text: `update decision
           set version = next.version, business_key = next.business_key, status = next.status,
             campaign_id = next.campaign_id, campaign_revision = next.campaign_revision,
             content = next.content
           from ${incoming} where decision.decision_id = next.decision_id`,
    values: valuesOf(rows),
  });
}

const columns =
  'decision_id, version, tenant_id, business_key, status, campaign_id, campaign_revision, content';
const incoming = `unnest($1::text[], $2::int[], $3::text[], $4::text[], $5::text[], $6::text[],
  $7::int[], $8::json[]) as next (${columns})`;

function valuesOf(rows: readonly DecisionRow[]): unknown[][] {
  return [
    rows.map(({ decision }) => decision.decisionId),
    rows.map(({ decision }) => decision.version),
    rows.map(({ decision }) => decision.tenantId),
    rows.map(({ decision }) => decision.businessKey),
    rows.map(({ status }) => status),
    rows.map(({ decision }) => decision.campaignId ?? null),
    rows.map(({ decision }) => decision.campaignRevision ?? null),
    rows.map(({ decision }) => JSON.stringify(decisionToList(decision))),
  ];
}

/** Current decisions about these facts that claim them, or once did; the facts are locked. */
export async function readDecisionsAbout(
  tx: Tx,
  facts: readonly BusinessFact[],
): Promise<FoldedDecision[]> {
  if (facts.length === 0) return [];
  const { rows } = await tx.query<StoredDecision>({
    name: 'read_decisions_about',
    text: `select ${storedDecision}
           from unnest($1::text[], $2::text[]) as fact (tenant_id, business_key)
           cross join lateral (
             select decision_id, other_decisions from step
             where step.tenant_id = fact.tenant_id and step.business_key = fact.business_key
             offset 0
           ) as step
           cross join lateral (
             select decision_id
             union all select json_array_elements_text(other_decisions)
           ) as about (decision_id)
           cross join lateral (
             select * from decision where decision.decision_id = about.decision_id
               and decision.tenant_id = fact.tenant_id
               and decision.business_key = fact.business_key
             offset 0
           ) as decision`,
    values: [facts.map((f) => f.tenantId), facts.map((f) => f.businessKey)],
  });
  return rows.map(decisionFromRow);
}

/** Locks decisions whose revision has arrived since; skips those that somebody else works on. */
export async function lockAwakenedDecisions(tx: Tx, limit: number): Promise<FoldedDecision[]> {
  const { rows } = await tx.query<StoredDecision>({
    name: 'lock_awakened_decisions',
    text: `select ${storedDecision}
           from decision join campaign_revision on
             campaign_revision.tenant_id = decision.tenant_id
             and campaign_revision.campaign_id = decision.campaign_id
             and campaign_revision.revision = decision.campaign_revision
           where decision.status = 'waiting-for-revision'
           limit $1
           for update of decision skip locked`,
    values: [limit],
  });
  return rows.map(decisionFromRow);
}

/** The columns that a decision is read from. */
export const storedDecision = `decision.decision_id, decision.version, decision.tenant_id,
  decision.business_key, decision.campaign_id, decision.campaign_revision, decision.content`;

export type StoredDecision = {
  decision_id: string;
  version: number;
  tenant_id: string;
  business_key: string;
  campaign_id: string | null;
  campaign_revision: number | null;
  content: DecisionList | FoldedDecision;
};

export function decisionFromRow(row: StoredDecision): FoldedDecision {
  const columns = {
    decisionId: row.decision_id,
    version: row.version,
    tenantId: row.tenant_id,
    businessKey: row.business_key,
    ...(row.campaign_id !== null && { campaignId: row.campaign_id }),
    ...(row.campaign_revision !== null && { campaignRevision: row.campaign_revision }),
  };
  return decisionFromList(columns, row.content);
}

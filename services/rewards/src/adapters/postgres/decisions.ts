import type { DecisionRecord } from '@tributary/contracts/decision-record';
import type { Tx } from '@tributary/runtime/postgres';

export type DecisionStatus = 'folded' | 'waiting-for-revision';

/** A business fact of a tenant; rewards hang on it, not on the event that reported it. */
export type BusinessFact = { tenantId: string; businessKey: string };

export type DecisionHead = BusinessFact & { version: number };

/**
 * Locks the rows, in one order everywhere, and says what they hold. Makes placeholders (version 0),
 * so that there is always a row to lock.
 */
export async function lockDecisions(
  tx: Tx,
  decisions: readonly DecisionRecord[],
): Promise<Map<string, DecisionHead>> {
  const { rows } = await tx.query<{
    decision_id: string;
    version: number;
    tenant_id: string;
    business_key: string;
  }>({
    name: 'lock_decisions',
    text: `insert into decision (decision_id, version, tenant_id, business_key, status)
           select decision_id, 0, tenant_id, business_key, 'placeholder'
           from unnest($1::text[], $2::text[], $3::text[])
             as wanted (decision_id, tenant_id, business_key)
           order by decision_id collate "C"
           on conflict (decision_id) do update set version = decision.version
           returning decision_id, version, tenant_id, business_key`,
    values: [
      decisions.map((d) => d.decisionId),
      decisions.map((d) => d.tenantId),
      decisions.map((d) => d.businessKey),
    ],
  });
  return new Map(
    rows.map((row) => [
      row.decision_id,
      { version: row.version, tenantId: row.tenant_id, businessKey: row.business_key },
    ]),
  );
}

export async function writeDecisions(
  tx: Tx,
  decisions: readonly { decision: DecisionRecord; status: DecisionStatus }[],
): Promise<void> {
  await tx.query({
    name: 'write_decisions',
    text: `update decision
           set version = next.version, business_key = next.business_key, status = next.status,
             campaign_id = next.campaign_id, campaign_revision = next.campaign_revision,
             record = next.record
           from unnest($1::text[], $2::int[], $3::text[], $4::text[], $5::text[], $6::int[],
             $7::json[]) as next (decision_id, version, business_key, status, campaign_id,
             campaign_revision, record)
           where decision.decision_id = next.decision_id`,
    values: [
      decisions.map((d) => d.decision.decisionId),
      decisions.map((d) => d.decision.version),
      decisions.map((d) => d.decision.businessKey),
      decisions.map((d) => d.status),
      decisions.map((d) => d.decision.campaignId ?? null),
      decisions.map((d) => d.decision.campaignRevision ?? null),
      decisions.map((d) => JSON.stringify(d.decision)),
    ],
  });
}

/** Every current decision about these facts, whatever its outcome. */
export async function readDecisionsAbout(
  tx: Tx,
  facts: readonly BusinessFact[],
): Promise<DecisionRecord[]> {
  if (facts.length === 0) return [];
  const { rows } = await tx.query<{ record: DecisionRecord }>({
    name: 'read_decisions_about',
    text: `select decision.record
           from unnest($1::text[], $2::text[]) as fact (tenant_id, business_key)
           join decision using (tenant_id, business_key)
           where decision.version > 0`,
    values: [facts.map((f) => f.tenantId), facts.map((f) => f.businessKey)],
  });
  return rows.map((row) => row.record);
}

/** Locks decisions whose revision has arrived since; skips those that somebody else works on. */
export async function lockAwakenedDecisions(tx: Tx, limit: number): Promise<DecisionRecord[]> {
  const { rows } = await tx.query<{ record: DecisionRecord }>({
    name: 'lock_awakened_decisions',
    text: `select decision.record
           from decision join campaign_revision on
             campaign_revision.tenant_id = decision.tenant_id
             and campaign_revision.campaign_id = decision.campaign_id
             and campaign_revision.revision = decision.campaign_revision
           where decision.status = 'waiting-for-revision'
           limit $1
           for update of decision skip locked`,
    values: [limit],
  });
  return rows.map((row) => row.record);
}

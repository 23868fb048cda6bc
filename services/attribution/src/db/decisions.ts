import type { DecisionRecord } from '@tributary/contracts/decision-record';
import type { Tx } from '@tributary/runtime/postgres';
import type { Fact } from '@tributary/attribution-fold/fact';
import { seekableSeconds } from './seekable-seconds.ts';

export type StoredDecision = {
  record: DecisionRecord;
  /** Catalog version of the tenant. */
  foldedUnder: string;
};

/** By event. */
export async function readDecisions(
  tx: Tx,
  eventIds: readonly string[],
): Promise<Map<string, StoredDecision>> {
  const { rows } = await tx.query<{
    event_id: string;
    folded_under: string;
    record: DecisionRecord;
  }>({
    name: 'read_decisions',
    text: `select event_id, folded_under, record from decision where event_id = any($1)`,
    values: [eventIds],
  });
  return new Map(
    rows.map((row) => [row.event_id, { record: row.record, foldedUnder: row.folded_under }]),
  );
}

/** `json` is the record as text. Each further fold that throws doubles the wait before the next. */
export async function writeDecisions(
  tx: Tx,
  decisions: readonly { record: DecisionRecord; json: string; foldedUnder: string }[],
): Promise<void> {
  if (decisions.length === 0) return;
  await tx.query({
    name: 'write_decisions',
    text: `insert into decision (event_id, tenant_id, version, outcome, campaign_id,
             occurred_at_seconds, folded_under, record, attempts, retry_at)
           select event_id, tenant_id, version, outcome, campaign_id, occurred_at_seconds,
             folded_under, record,
             case when outcome = 'undecided' then 1 else 0 end,
             case when outcome = 'undecided' then now() + interval '1 second' end
           from unnest($1::text[], $2::text[], $3::int[], $4::text[], $5::text[], $6::numeric[],
             $7::bigint[], $8::json[]) as next (event_id, tenant_id, version, outcome, campaign_id,
             occurred_at_seconds, folded_under, record)
           on conflict (event_id) do update
           set version = excluded.version, outcome = excluded.outcome,
             campaign_id = excluded.campaign_id, folded_under = excluded.folded_under,
             record = excluded.record,
             attempts = case when excluded.outcome = 'undecided'
               then decision.attempts + 1 else 0 end,
             retry_at = case when excluded.outcome = 'undecided'
               then now() + least(interval '5 minutes',
                 interval '1 second' * power(2, least(decision.attempts, 16))) end`,
    values: [
      decisions.map(({ record }) => record.eventId),
      decisions.map(({ record }) => record.tenantId),
      decisions.map(({ record }) => record.version),
      decisions.map(({ record }) => record.outcome),
      decisions.map(({ record }) => record.campaignId ?? null),
      decisions.map(({ record }) => seekableSeconds(record.occurredAtSeconds)),
      decisions.map(({ foldedUnder }) => foldedUnder),
      decisions.map(({ json }) => json),
    ],
  });
}

/** Facts whose fold threw and whose time to be tried again has come. */
export async function readDueUndecided(tx: Tx, limit: number): Promise<Fact[]> {
  const { rows } = await tx.query<{ business_key: string; record: Fact['event'] }>({
    name: 'read_due_undecided',
    text: `select fact.business_key, fact.record
           from decision join fact using (event_id)
           where decision.outcome = 'undecided' and decision.retry_at <= now()
           order by decision.retry_at limit $1`,
    values: [limit],
  });
  return rows.map((row) => ({ event: row.record, businessKey: row.business_key }));
}

import type { DecisionRecord } from '@tributary/contracts/decision-record';
import { decisionDigest } from '@tributary/contracts/state-item';
import type { DecisionContent, KnownVersion } from '@tributary/attribution-fold/decision';
import type { Fact } from '@tributary/attribution-fold/fact';
import type { Tx } from '@tributary/runtime/postgres';
import { factColumns, type FactRow, fromRow as factOf } from './fact-row.ts';
import { checksumOf } from './decision-checksum.ts';
import { seekableSeconds } from './seekable-seconds.ts';

/** What is stored of a decision: not the record, which is on the log (decision 39). */
export type StoredDecision = KnownVersion & {
  tenantId: string;
  eventId: string;
  outcome: DecisionRecord['outcome'];
  /** As in the record: null while the code is unknown. */
  campaignId: string | null;
  /** Catalog version of the tenant. */
  foldedUnder: string;
};

/** By event. */
export async function readDecisions(
  tx: Tx,
  eventIds: readonly string[],
): Promise<Map<string, StoredDecision>> {
  const { rows } = await tx.query<DecisionRow>({
    name: 'read_decisions',
    text: `select event_id, tenant_id, version, outcome, campaign_id, folded_under, digest,
             former_record
           from decision where event_id = any($1)`,
    values: [eventIds],
  });
  return new Map(rows.map((row) => [row.event_id, fromRow(row)]));
}

export type WrittenDecision = KnownVersion & { content: DecisionContent; foldedUnder: string };

/** Each further fold that throws doubles the wait before the next. */
export async function writeDecisions(tx: Tx, decisions: readonly WrittenDecision[]): Promise<void> {
  if (decisions.length === 0) return;
  await tx.query({
    name: 'write_decisions',
    text: `insert into decision (event_id, tenant_id, version, outcome, campaign_id,
             occurred_at_seconds, folded_under, digest, checksum, attempts, retry_at)
           select event_id, tenant_id, version, outcome, campaign_id, occurred_at_seconds,
             folded_under, digest, checksum,
             case when outcome = 'undecided' then 1 else 0 end,
             case when outcome = 'undecided' then now() + interval '1 second' end
           from unnest($1::text[], $2::text[], $3::int[], $4::text[], $5::text[], $6::numeric[],
             $7::bigint[], $8::bytea[], $9::int[]) as next (event_id, tenant_id, version, outcome,
             campaign_id, occurred_at_seconds, folded_under, digest, checksum)
           on conflict (event_id) do update
           set version = excluded.version, outcome = excluded.outcome,
             campaign_id = excluded.campaign_id, folded_under = excluded.folded_under,
             digest = excluded.digest, checksum = excluded.checksum, former_record = null,
             attempts = case when excluded.outcome = 'undecided'
               then decision.attempts + 1 else 0 end,
             retry_at = case when excluded.outcome = 'undecided'
               then now() + least(interval '5 minutes',
                 interval '1 second' * power(2, least(decision.attempts, 16))) end`,
    values: [
      decisions.map(({ content }) => content.eventId),
      decisions.map(({ content }) => content.tenantId),
      decisions.map(({ version }) => version),
      decisions.map(({ content }) => content.outcome),
      decisions.map(({ content }) => content.campaignId ?? null),
      decisions.map(({ content }) => seekableSeconds(content.occurredAtSeconds)),
      decisions.map(({ foldedUnder }) => foldedUnder),
      decisions.map(({ digest }) => Buffer.from(digest, 'base64url')),
      decisions.map(({ content, version, digest }) =>
        checksumOf({ ...content, campaignId: content.campaignId ?? null, version, digest }),
      ),
    ],
  });
}

/** Facts whose fold threw and whose time to be tried again has come. */
export async function readDueUndecided(tx: Tx, limit: number): Promise<Fact[]> {
  const { rows } = await tx.query<FactRow>({
    name: 'read_due_undecided',
    text: `select ${factColumns}
           from decision join fact using (event_id)
           where decision.outcome = 'undecided' and decision.retry_at <= now()
           order by decision.retry_at limit $1`,
    values: [limit],
  });
  return rows.map(factOf);
}

type DecisionRow = {
  event_id: string;
  tenant_id: string;
  version: number;
  outcome: DecisionRecord['outcome'];
  campaign_id: string | null;
  folded_under: string;
  digest: Buffer | null;
  /** Null unless the release before has written the row. */
  former_record: DecisionRecord | null;
};

function fromRow(row: DecisionRow): StoredDecision {
  return {
    tenantId: row.tenant_id,
    eventId: row.event_id,
    version: row.version,
    outcome: row.outcome,
    campaignId: row.campaign_id,
    foldedUnder: row.folded_under,
    digest: row.digest?.toString('base64url') ?? decisionDigest(row.former_record!),
  };
}

import type { DecisionRecord } from '@tributary/contracts/decision-record';
import { decisionDigest } from '@tributary/contracts/state-item';
import type { DecisionContent, KnownVersion } from '@tributary/attribution-fold/decision';
import type { Fact } from '@tributary/attribution-fold/fact';
import { columnsOf } from '@tributary/runtime/columns';
import type { Tx } from '@tributary/runtime/postgres';
import { asSerializationFailure } from '@tributary/runtime/serialization-failure';
import { factColumns, type FactRow, fromRow as factOf, toReported } from './fact-row.ts';
import { purchaseKeyOf } from './facts.ts';
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
           from fact where event_id = any($1)`,
    values: [eventIds],
  });
  return new Map(rows.map((row) => [row.event_id, fromRow(row)]));
}

export type WrittenDecision = KnownVersion & { content: DecisionContent; foldedUnder: string };

export type DecidedFact = { fact: Fact; decision: WrittenDecision; isRival: boolean };

/**
 * Stores new facts with what was decided about them; rivals are those whose key another event
 * holds.
 * @throws as for a conflict of transactions when another has stored one of the events meanwhile.
 */
export async function insertDecided(tx: Tx, decided: readonly DecidedFact[]): Promise<void> {
  if (decided.length === 0) return;
  const { rowCount } = await tx.query({
    name: 'insert_decided',
    text: `insert into fact (${decisionColumns}, tenant_id, new_user_id, ucc, business_key,
             purchase_key, occurred_at_seconds, reported, is_rival, attempts, retry_at)
           select *, case when outcome = 'undecided' then 1 else 0 end,
             case when outcome = 'undecided' then now() + interval '1 second' end
           from unnest(${decisionArrays}, $8::text[], $9::text[], $10::text[], $11::text[],
             $12::text[], $13::numeric[], $14::json[], $15::boolean[]) as decided (${decisionColumns})
           order by event_id collate "C"
           on conflict (event_id) do nothing`,
    values: [
      ...decisionValues(decided.map(({ decision }) => decision)),
      ...columnsOf(
        decided.map(({ fact }) => fact),
        ({ event }) => event.tenantId,
        ({ event }) => event.newUser.id,
        ({ event }) => event.ucc,
        'businessKey',
        purchaseKeyOf,
        ({ event }) => seekableSeconds(event.occurredAtSeconds),
        ({ event }) => JSON.stringify(toReported(event)),
      ),
      decided.map(({ isRival }) => isRival),
    ],
  });
  if (rowCount === decided.length) return;
  throw asSerializationFailure(new Error('another transaction has stored one of these events'));
}

/** Replaces what was decided; each further fold that throws doubles the wait before the next. */
export async function writeDecisions(tx: Tx, decisions: readonly WrittenDecision[]): Promise<void> {
  if (decisions.length === 0) return;
  await tx.query({
    name: 'write_decisions',
    text: `update fact
           set version = next.version, outcome = next.outcome, campaign_id = next.campaign_id,
             folded_under = next.folded_under, digest = next.digest, checksum = next.checksum,
             former_record = null,
             attempts = case when next.outcome = 'undecided' then attempts + 1 else 0 end,
             retry_at = case when next.outcome = 'undecided'
               then now() + least(interval '5 minutes',
                 interval '1 second' * power(2, least(attempts, 16))) end
           from unnest(${decisionArrays}) as next (${decisionColumns})
           where fact.event_id = next.event_id`,
    values: decisionValues(decisions),
  });
}

const decisionColumns = 'event_id, version, outcome, campaign_id, folded_under, digest, checksum';
const decisionArrays =
  '$1::text[], $2::int[], $3::text[], $4::text[], $5::bigint[], $6::bytea[], $7::int[]';

function decisionValues(decisions: readonly WrittenDecision[]): unknown[][] {
  return columnsOf(
    decisions,
    ({ content }) => content.eventId,
    'version',
    ({ content }) => content.outcome,
    ({ content }) => content.campaignId,
    'foldedUnder',
    ({ digest }) => Buffer.from(digest, 'base64url'),
    ({ content, version, digest }) =>
      checksumOf({ ...content, campaignId: content.campaignId ?? null, version, digest }),
  );
}

/** Facts whose fold threw and whose time to be tried again has come. */
export async function readDueUndecided(tx: Tx, limit: number): Promise<Fact[]> {
  const { rows } = await tx.query<FactRow>({
    name: 'read_due_undecided',
    text: `select ${factColumns}
           from fact where outcome = 'undecided' and retry_at <= now()
           order by retry_at limit $1`,
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

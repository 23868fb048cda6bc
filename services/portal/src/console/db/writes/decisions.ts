import type { DecisionRecord } from '@tributary/contracts/decision-record';
import { newestOf, oneOfEach } from '@tributary/event-log/newest-of';
import type { Tx } from '@tributary/runtime/postgres';
import { keyOf, keyOrNull, timeKeyOf } from '@tributary/generations/read-model-keys';
import { pack } from '../stored/pack.ts';
import { namesOfJson, namesToJson } from './invoice-names.ts';
import type { Recorded } from './recorded.ts';

type Decision = Recorded<DecisionRecord>;

/**
 * The current decisions, those that they replace, and a row for each event whose fact was not read
 * yet. A row that is replaced is kept by a trigger of the table; what comes behind a higher version
 * is kept here.
 */
export async function writeDecisions(tx: Tx, records: readonly Decision[]): Promise<void> {
  if (records.length === 0) return;
  const newest = newestOf(
    records,
    ({ record }) => record.eventId,
    ({ record }) => record.version,
  );
  const decisions = newest.map(({ record }) => record);
  await insertEvents(tx, newest);
  const written = await writeCurrent(tx, newest);
  await writeOlder(tx, leftOver(records, newest, written));
  await tx.query({
    name: 'write_decided',
    text: `delete from undecided where event_id in (
             select event_id from undecided where event_id = any($1::uuid[])
             order by event_id for update)`,
    values: [decisions.map(({ eventId }) => keyOf(eventId))],
  });
}

/** What is not the current decision now; a copy of that may be among it. */
function leftOver(
  records: readonly Decision[],
  newest: readonly Decision[],
  written: ReadonlySet<string>,
): Decision[] {
  if (written.size === records.length) return [];
  const current = new Set(newest.filter(({ record }) => written.has(keyOf(record.eventId))));
  return oneOfEach(
    records.filter((one) => !current.has(one)),
    ({ record }) => `${record.eventId} ${String(record.version).padStart(10, '0')}`,
  );
}

async function insertEvents(tx: Tx, recorded: readonly Decision[]): Promise<void> {
  const decisions = recorded.map(({ record }) => record);
  await tx.query({
    name: 'write_events_of_decisions',
    text: `insert into event (event_id, received_at, tenant_id, event_type, source, new_user_id,
             ucc, invoice_names, recorded_at)
           select event_id, received_at, tenant_id, event_type, source, new_user_id, ucc,
             ${namesOfJson}, recorded_at
           from unnest($1::uuid[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[],
             $7::text[], $8::json[], $9::bigint[]) as next (event_id, received_at, tenant_id,
             event_type, source, new_user_id, ucc, invoice_names, recorded_at)
           order by event_id
           on conflict (event_id) do nothing`,
    values: [
      decisions.map(({ eventId }) => keyOf(eventId)),
      decisions.map(({ receivedAt }) => timeKeyOf(receivedAt)),
      decisions.map(({ tenantId }) => tenantId),
      decisions.map(({ eventType }) => eventType),
      decisions.map(({ source }) => source),
      decisions.map(({ newUserId }) => newUserId),
      decisions.map(({ ucc }) => ucc),
      decisions.map(({ purchase, refund }) => namesToJson(purchase ?? refund)),
      recorded.map(({ recordedAt }) => recordedAt),
    ],
  });
}

/** Says which of them are current now, by their keys. */
async function writeCurrent(tx: Tx, decisions: readonly Decision[]): Promise<Set<string>> {
  const { rows } = await tx.query<{ key: string }>({
    name: 'write_decisions',
    text: `insert into decision (${columns}, class)
           select ${columns}, ${classOf} from ${given}
           order by event_id
           on conflict (event_id) do update
           set duplicate_of = excluded.duplicate_of, refund_of = excluded.refund_of,
             version = excluded.version, outcome = excluded.outcome, reason = excluded.reason,
             referrer_id = excluded.referrer_id, campaign_id = excluded.campaign_id,
             record = excluded.record, recorded_at = excluded.recorded_at, class = excluded.class
           where decision.version < excluded.version
           returning event_id as key`,
    values: valuesOf(decisions),
  });
  return new Set(rows.map(({ key }) => key));
}

async function writeOlder(tx: Tx, decisions: readonly Decision[]): Promise<void> {
  if (decisions.length === 0) return;
  await tx.query({
    name: 'write_older_decisions',
    text: `insert into decision_version (${columns}, class)
           select ${columns}, ${classOf} from ${given}
           where version < (select decision.version from decision
             where decision.event_id = next.event_id)
           order by event_id, version
           on conflict (event_id, version) do nothing`,
    values: valuesOf(decisions),
  });
}

const columns = `event_id, received_at, duplicate_of, refund_of, version, tenant_id, outcome, reason,
  referrer_id, campaign_id, record, recorded_at`;

const given = `unnest($1::uuid[], $2::bigint[], $3::uuid[], $4::uuid[], $5::int[], $6::text[],
  $7::text[], $8::text[], $9::text[], $10::text[], $11::bytea[], $12::bigint[], $13::text[],
  $14::text[]) as next (${columns}, event_type, source)`;

const classOf = "class_of('decision', tenant_id, event_type, source, outcome, reason, campaign_id)";

function valuesOf(recorded: readonly Decision[]): unknown[][] {
  const decisions = recorded.map(({ record }) => record);
  return [
    decisions.map(({ eventId }) => keyOf(eventId)),
    decisions.map(({ receivedAt }) => timeKeyOf(receivedAt)),
    decisions.map(({ duplicateOf }) => keyOrNull(duplicateOf)),
    decisions.map(({ refundOf }) => keyOrNull(refundOf)),
    decisions.map(({ version }) => version),
    decisions.map(({ tenantId }) => tenantId),
    decisions.map(({ outcome }) => outcome),
    decisions.map(({ reason }) => reason ?? null),
    decisions.map(({ referrerId }) => referrerId ?? null),
    decisions.map(({ campaignId }) => campaignId ?? null),
    decisions.map((decision) => pack('decision', decision)),
    recorded.map(({ recordedAt }) => recordedAt),
    decisions.map(({ eventType }) => eventType),
    decisions.map(({ source }) => source),
  ];
}

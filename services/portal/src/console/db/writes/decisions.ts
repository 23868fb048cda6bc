import type { DecisionRecord } from '@tributary/contracts/decision-record';
import { newestOf } from '@tributary/event-log/newest-of';
import type { Tx } from '@tributary/runtime/postgres';
import { keyOf, keyOrNull, timeKeyOf } from '@tributary/generations/read-model-keys';
import { pack } from '../stored/pack.ts';
import { namesOfJson, namesToJson } from './invoice-names.ts';

/** The current decisions, and a row for each event whose fact was not read yet. */
export async function writeDecisions(tx: Tx, records: readonly DecisionRecord[]): Promise<void> {
  if (records.length === 0) return;
  const decisions = newestOf(
    records,
    ({ eventId }) => eventId,
    ({ version }) => version,
  );
  await insertEvents(tx, decisions);
  await writeCurrent(tx, decisions);
  await tx.query({
    name: 'write_decided',
    text: `delete from undecided where event_id in (
             select event_id from undecided where event_id = any($1::uuid[])
             order by event_id for update)`,
    values: [decisions.map(({ eventId }) => keyOf(eventId))],
  });
}

async function insertEvents(tx: Tx, decisions: readonly DecisionRecord[]): Promise<void> {
  await tx.query({
    name: 'write_events_of_decisions',
    text: `insert into event (event_id, received_at, tenant_id, event_type, source, new_user_id,
             ucc, invoice_names)
           select event_id, received_at, tenant_id, event_type, source, new_user_id, ucc,
             ${namesOfJson}
           from unnest($1::uuid[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[],
             $7::text[], $8::json[]) as next (event_id, received_at, tenant_id, event_type, source,
             new_user_id, ucc, invoice_names)
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
    ],
  });
}

async function writeCurrent(tx: Tx, decisions: readonly DecisionRecord[]): Promise<void> {
  await tx.query({
    name: 'write_decisions',
    text: `insert into decision (event_id, received_at, duplicate_of, refund_of, version, tenant_id,
             outcome, reason, referrer_id, campaign_id, record, class)
           select event_id, received_at, duplicate_of, refund_of, version, tenant_id, outcome,
             reason, referrer_id, campaign_id, record,
             class_of('decision', tenant_id, event_type, source, outcome, reason, campaign_id)
           from unnest($1::uuid[], $2::bigint[], $3::uuid[], $4::uuid[], $5::int[], $6::text[],
             $7::text[], $8::text[], $9::text[], $10::text[], $11::bytea[], $12::text[],
             $13::text[]) as next (event_id, received_at, duplicate_of, refund_of, version,
             tenant_id, outcome, reason, referrer_id, campaign_id, record, event_type, source)
           order by event_id
           on conflict (event_id) do update
           set duplicate_of = excluded.duplicate_of, refund_of = excluded.refund_of,
             version = excluded.version, outcome = excluded.outcome, reason = excluded.reason,
             referrer_id = excluded.referrer_id, campaign_id = excluded.campaign_id,
             record = excluded.record, class = excluded.class
           where decision.version < excluded.version`,
    values: [
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
      decisions.map(({ eventType }) => eventType),
      decisions.map(({ source }) => source),
    ],
  });
}

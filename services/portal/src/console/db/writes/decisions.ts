import type { DecisionRecord } from '@tributary/contracts/decision-record';
import { newestOf } from '@tributary/event-log/newest-of';
import type { Tx } from '@tributary/runtime/postgres';
import { invoiceNamesOf } from './invoice-names.ts';

/** The current decisions. The row is there already when the fact came first. */
export async function writeDecisions(tx: Tx, records: readonly DecisionRecord[]): Promise<void> {
  if (records.length === 0) return;
  const decisions = newestOf(
    records,
    ({ eventId }) => eventId,
    ({ version }) => version,
  );
  await tx.query({
    name: 'write_decisions',
    text: `insert into event (event_id, tenant_id, event_type, source, new_user_id, ucc,
             received_at, invoice_names, decision, decision_version, outcome, reason, referrer_id,
             campaign_id, duplicate_of, refund_of)
           select event_id, tenant_id, event_type, source, new_user_id, ucc, received_at,
             array(select json_array_elements_text(invoice_names)), decision, decision_version,
             outcome, reason, referrer_id, campaign_id, duplicate_of, refund_of
           from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[],
             $7::text[], $8::json[], $9::json[], $10::int[], $11::text[], $12::text[], $13::text[],
             $14::text[], $15::text[], $16::text[]) as next (event_id, tenant_id, event_type,
             source, new_user_id, ucc, received_at, invoice_names, decision, decision_version,
             outcome, reason, referrer_id, campaign_id, duplicate_of, refund_of)
           order by event_id collate "C"
           on conflict (event_id) do update
           set decision = excluded.decision, decision_version = excluded.decision_version,
             outcome = excluded.outcome, reason = excluded.reason,
             referrer_id = excluded.referrer_id, campaign_id = excluded.campaign_id,
             duplicate_of = excluded.duplicate_of, refund_of = excluded.refund_of
           where event.decision_version < excluded.decision_version`,
    values: [
      decisions.map((decision) => decision.eventId),
      decisions.map((decision) => decision.tenantId),
      decisions.map((decision) => decision.eventType),
      decisions.map((decision) => decision.source),
      decisions.map((decision) => decision.newUserId),
      decisions.map((decision) => decision.ucc),
      decisions.map((decision) => decision.receivedAt),
      decisions.map(({ purchase, refund }) => JSON.stringify(invoiceNamesOf(purchase ?? refund))),
      decisions.map((decision) => JSON.stringify(decision)),
      decisions.map((decision) => decision.version),
      decisions.map((decision) => decision.outcome),
      decisions.map((decision) => decision.reason ?? null),
      decisions.map((decision) => decision.referrerId ?? null),
      decisions.map((decision) => decision.campaignId ?? null),
      decisions.map((decision) => decision.duplicateOf ?? null),
      decisions.map((decision) => decision.refundOf ?? null),
    ],
  });
}

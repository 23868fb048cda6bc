import type { EventRecord } from '@tributary/contracts/event-record';
import type { TaxPolicy } from '@tributary/contracts/processor-record';
import type { Tx } from '@tributary/runtime/postgres';
import type { ReportedPurchase } from '../domain/model.ts';
import type { NewFact } from '../domain/fold-subject.ts';

export type PurchasePlace = { subjectId: string; invoiceId: string };

/** The identity that each of these invoices was reported with. */
export async function readPurchases(
  tx: Tx,
  places: readonly PurchasePlace[],
): Promise<(PurchasePlace & { purchase: ReportedPurchase })[]> {
  if (places.length === 0) return [];
  const { rows } = await tx.query<{
    subject_id: string;
    invoice_id: string;
    record: EventRecord;
    tax_policy: TaxPolicy;
  }>(
    `select distinct on (subject_id, invoice_id) subject_id, invoice_id, record, tax_policy
     from fact
     where (subject_id, invoice_id) in (select * from unnest($1::bigint[], $2::text[]))
     order by subject_id, invoice_id, fact_id`,
    [places.map((p) => p.subjectId), places.map((p) => p.invoiceId)],
  );
  return rows.map((row) => ({
    subjectId: row.subject_id,
    invoiceId: row.invoice_id,
    purchase: {
      ucc: row.record.ucc,
      newUserId: row.record.newUser.id,
      taxPolicy: row.tax_policy,
    },
  }));
}

export async function insertFacts(
  tx: Tx,
  facts: readonly (NewFact & { subjectId: string })[],
): Promise<void> {
  if (facts.length === 0) return;
  await tx.query(
    `insert into fact (subject_id, event_id, item_id, connection_id, event_type,
       occurred_at_seconds, invoice_id, tax_policy, record)
     select subject_id, event_id, item_id, connection_id, event_type, occurred_at_seconds,
       invoice_id, tax_policy, record
     from unnest($1::bigint[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::bigint[],
       $7::text[], $8::text[], $9::json[])
       with ordinality as made (subject_id, event_id, item_id, connection_id, event_type,
         occurred_at_seconds, invoice_id, tax_policy, record, position)
     order by position
     on conflict do nothing`,
    [
      facts.map((fact) => fact.subjectId),
      facts.map((fact) => fact.eventId),
      facts.map((fact) => fact.itemId),
      facts.map((fact) => fact.connectionId),
      facts.map((fact) => fact.eventType),
      facts.map((fact) => fact.occurredAtSeconds),
      facts.map((fact) => fact.invoiceId),
      facts.map((fact) => fact.purchase.taxPolicy),
      facts.map((fact) => fact.value),
    ],
  );
}

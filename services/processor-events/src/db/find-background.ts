import type { FetchedType, StripeObject, TaxPolicy } from '@tributary/contracts/processor-record';
import type { Reading } from '../domain/model.ts';
import type { Queryable } from './queryable.ts';

/** What was read for subjects, and how their purchases were reported. */
export type Background = {
  reading(subjectId: string, type: FetchedType, id: string): Reading | undefined;
  /** The policy of an invoice's purchase; undefined when none was reported. */
  policyOf(subjectId: string, invoiceId: string): TaxPolicy | undefined;
};

export async function findBackground(
  db: Queryable,
  subjectIds: readonly string[],
): Promise<Background> {
  const read = await db.query<ReadingRow>({
    name: 'find_readings_of_subjects',
    text: `
      select subject_id, type, id, received_at, object
      from reading
      where subject_id = any($1::bigint[])`,
    values: [subjectIds],
  });
  const reported = await db.query<{
    subject_id: string;
    invoice_id: string;
    tax_policy: TaxPolicy;
  }>({
    name: 'find_purchases_of_subjects',
    text: `
      select subject_id, invoice_id, tax_policy
      from fact
      where subject_id = any($1::bigint[]) and invoice_id is not null`,
    values: [subjectIds],
  });
  const readings = new Map(
    read.rows.map((row): [string, Reading] => [
      keyOf(row.subject_id, row.type, row.id),
      { object: row.object, receivedAt: row.received_at },
    ]),
  );
  const policies = new Map(
    reported.rows.map((row) => [keyOf(row.subject_id, row.invoice_id), row.tax_policy]),
  );
  return {
    reading: (subjectId, type, id) => readings.get(keyOf(subjectId, type, id)),
    policyOf: (subjectId, invoiceId) => policies.get(keyOf(subjectId, invoiceId)),
  };
}

type ReadingRow = {
  subject_id: string;
  type: FetchedType;
  id: string;
  received_at: string;
  object: StripeObject;
};

function keyOf(...parts: string[]): string {
  return JSON.stringify(parts);
}

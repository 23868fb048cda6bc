import type { FetchedType, StripeObject } from '@tributary/contracts/processor-record';
import type { Tx } from '@tributary/runtime/postgres';
import type { Reading } from '../domain/model.ts';
import { ofReadingKey, readingKey } from '../domain/fold-subject.ts';
import type { Queryable } from './queryable.ts';

export type ReadingPlace = { subjectId: string; key: string };

export async function readReadings(
  tx: Tx,
  places: readonly ReadingPlace[],
): Promise<(ReadingPlace & { reading: Reading })[]> {
  if (places.length === 0) return [];
  const named = places.map(({ key }) => ofReadingKey(key));
  const { rows } = await tx.query<{
    subject_id: string;
    type: FetchedType;
    id: string;
    received_at: string;
    object: StripeObject;
  }>(
    `select subject_id, type, id, received_at, object from reading
     where (subject_id, type, id) in (select * from unnest($1::bigint[], $2::text[], $3::text[]))`,
    [places.map((p) => p.subjectId), named.map((n) => n.type), named.map((n) => n.id)],
  );
  return rows.map((row) => ({
    subjectId: row.subject_id,
    key: readingKey(row.type, row.id),
    reading: { object: row.object, receivedAt: row.received_at },
  }));
}

/** Each place at most once. */
export async function putReadings(
  tx: Tx,
  readings: readonly (ReadingPlace & { reading: Reading })[],
): Promise<void> {
  if (readings.length === 0) return;
  const named = readings.map(({ key }) => ofReadingKey(key));
  await tx.query(
    `insert into reading (subject_id, type, id, received_at, object)
     select * from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::json[])
     on conflict (subject_id, type, id) do update set
       received_at = excluded.received_at, object = excluded.object`,
    [
      readings.map((r) => r.subjectId),
      named.map((n) => n.type),
      named.map((n) => n.id),
      readings.map((r) => r.reading.receivedAt),
      readings.map((r) => JSON.stringify(r.reading.object)),
    ],
  );
}

/** A price that was read for whichever of the tenant's customers: it never changes. */
export async function findPrice(
  db: Queryable,
  tenantId: string,
  id: string,
): Promise<StripeObject | undefined> {
  const { rows } = await db.query<{ object: StripeObject }>(
    `select object from reading join subject using (subject_id)
     where reading.type = 'price' and reading.id = $2 and subject.tenant_id = $1
     limit 10`,
    [tenantId, id],
  );
  return rows.map(({ object }) => object).find(({ object }) => object === 'price');
}

import type { ErasureRecord } from '@tributary/contracts/catalog-record';
import { latestErasures } from '@tributary/contracts/latest-people';
import { columnsOf } from '@tributary/runtime/columns';
import type { Tx } from '@tributary/runtime/postgres';

/**
 * Forgets e-mail and name of people, and remembers up to when: their records may still be under
 * way, or be read again. Nothing else here holds either of the two.
 */
export async function writeErasures(tx: Tx, records: readonly ErasureRecord[]): Promise<void> {
  if (records.length === 0) return;
  const erasures = latestErasures(records);
  await tx.query({
    name: 'write_erasures',
    text: `insert into person (tenant_id, user_id, erased_at)
           select tenant_id, user_id, erased_at
           from unnest($1::text[], $2::text[], $3::text[]) as next (tenant_id, user_id, erased_at)
           order by tenant_id collate "C", user_id collate "C"
           on conflict (tenant_id, user_id) do update
           set erased_at = greatest(person.erased_at, excluded.erased_at),
             email = case when person.received_at > excluded.erased_at then person.email end,
             name = case when person.received_at > excluded.erased_at then person.name end`,
    values: columnsOf(erasures, 'tenantId', 'userId', 'erasedAt'),
  });
}

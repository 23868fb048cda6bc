import type { EventRecord } from '@tributary/contracts/event-record';
import type { Tx } from '@tributary/runtime/postgres';

/**
 * The days on which access keys were used. A day that is there is not touched: batches of several
 * processes have the same keys all day, and would wait for each other.
 */
export async function writeAccessKeyUse(tx: Tx, events: readonly EventRecord[]): Promise<void> {
  const days = new Map(
    events.flatMap(({ tenantId, accessKeyId, receivedAt }) => {
      if (accessKeyId === undefined) return [];
      const day = receivedAt.slice(0, 10);
      return [[JSON.stringify([tenantId, accessKeyId, day]), { tenantId, accessKeyId, day }]];
    }),
  );
  if (days.size === 0) return;
  const used = [...days.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, use]) => use);
  await tx.query({
    name: 'write_access_key_use',
    text: `insert into access_key_use (tenant_id, access_key_id, day)
           select tenant_id, access_key_id, day
           from unnest($1::text[], $2::text[], $3::date[]) as next (tenant_id, access_key_id, day)
           where not exists (select from access_key_use as known
             where known.tenant_id = next.tenant_id and known.access_key_id = next.access_key_id
               and known.day = next.day)
           order by tenant_id collate "C", access_key_id collate "C", day
           on conflict (tenant_id, access_key_id, day) do nothing`,
    values: [
      used.map(({ tenantId }) => tenantId),
      used.map(({ accessKeyId }) => accessKeyId),
      used.map(({ day }) => day),
    ],
  });
}

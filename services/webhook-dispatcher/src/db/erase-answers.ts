import type { ErasureRecord } from '@tributary/contracts/catalog-record';
import { latestErasures } from '@tributary/contracts/latest-people';
import { columnsOf } from '@tributary/runtime/columns';
import type { Tx } from '@tributary/runtime/postgres';

/**
 * Forgets what receivers answered to rewards of these people, and remembers up to when: the answer
 * to an attempt that is under way is then not kept (insert-attempts.ts). Results that are being
 * written are waited for, so that none slips between the two; and so are other erasures, which
 * would wait for each other.
 *
 * Called before rows of `endpoint` are locked, as attempts come before them in everyone's order.
 */
export async function eraseAnswers(tx: Tx, records: readonly ErasureRecord[]): Promise<void> {
  if (records.length === 0) return;
  const values = columnsOf(
    latestErasures(records),
    'tenantId',
    'userId',
    ({ erasedAt }) => new Date(erasedAt),
  );
  const erasures = `unnest($1::text[], $2::text[], $3::timestamptz[])
    as erased (tenant_id, user_id, erased_at)`;
  await tx.query('lock table attempt in share row exclusive mode');
  await tx.query(
    `insert into erasure as known (tenant_id, user_id, erased_at)
     select * from ${erasures} order by tenant_id collate "C", user_id collate "C"
     on conflict (tenant_id, user_id) do update
     set erased_at = greatest(known.erased_at, excluded.erased_at)`,
    values,
  );
  await tx.query(
    `update attempt a
     set answer_headers = null, answer_body = null
     from ${erasures}
     join delivery d on d.tenant_id = erased.tenant_id and d.recipient_id = erased.user_id
     where a.webhook_event_id = d.webhook_event_id and a.started_at <= erased.erased_at
       and (a.answer_headers is not null or a.answer_body is not null)`,
    values,
  );
}

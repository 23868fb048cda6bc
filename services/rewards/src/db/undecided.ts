import { columnsOf } from '@tributary/runtime/columns';
import type { Tx } from '@tributary/runtime/postgres';
import type { RecipientKey } from '@tributary/rewards-fold/entitlement';

/**
 * Recipients whose fold threw (design 6): what was to be folded is kept, nothing of theirs is
 * released meanwhile, and a sweeper tries again with growing pauses. All of this is written under
 * the recipient's lock.
 */
export type Undecided = RecipientKey & { businessKeys: readonly string[] };

export async function markUndecided(
  tx: Tx,
  reason: string,
  undecided: readonly Undecided[],
): Promise<void> {
  await tx.query({
    name: 'mark_undecided',
    text: `update recipient
           set undecided_reason = $1, undecided_attempts = undecided_attempts + 1,
             retry_at = now() + least(interval '5 minutes',
               interval '1 second' * power(2, least(undecided_attempts, 16)))
           where (tenant_id, recipient_id) in (select * from unnest($2::text[], $3::text[]))`,
    values: [reason, undecided.map((u) => u.tenantId), undecided.map((u) => u.recipientId)],
  });
  const rows = undecided.flatMap((u) => u.businessKeys.map((key) => ({ ...u, key })));
  await tx.query({
    name: 'insert_unfolded',
    text: `insert into unfolded (tenant_id, recipient_id, business_key)
           select tenant_id, recipient_id, business_key
           from unnest($1::text[], $2::text[], $3::text[])
             as fact (tenant_id, recipient_id, business_key)
           on conflict do nothing`,
    values: columnsOf(rows, 'tenantId', 'recipientId', 'key'),
  });
}

export async function readUnfolded(
  tx: Tx,
  keys: readonly RecipientKey[],
): Promise<(RecipientKey & { businessKey: string })[]> {
  const { rows } = await tx.query<{
    tenant_id: string;
    recipient_id: string;
    business_key: string;
  }>({
    name: 'read_unfolded',
    text: `select tenant_id, recipient_id, business_key from unfolded
           where (tenant_id, recipient_id) in (select * from unnest($1::text[], $2::text[]))`,
    values: [keys.map((k) => k.tenantId), keys.map((k) => k.recipientId)],
  });
  return rows.map((row) => ({
    tenantId: row.tenant_id,
    recipientId: row.recipient_id,
    businessKey: row.business_key,
  }));
}

export async function clearUndecided(tx: Tx, keys: readonly RecipientKey[]): Promise<void> {
  const values = [keys.map((k) => k.tenantId), keys.map((k) => k.recipientId)];
  await tx.query({
    name: 'clear_unfolded',
    text: `delete from unfolded
           where (tenant_id, recipient_id) in (select * from unnest($1::text[], $2::text[]))`,
    values,
  });
  await tx.query({
    name: 'clear_undecided',
    text: `update recipient
           set undecided_reason = null, undecided_attempts = 0, retry_at = null
           where (tenant_id, recipient_id) in (select * from unnest($1::text[], $2::text[]))`,
    values,
  });
}

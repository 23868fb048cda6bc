import { columnsOf } from '@tributary/runtime/columns';
import type { Tx } from '@tributary/runtime/postgres';
import { formatCredits } from '@tributary/rewards-fold/credits';
import { type RecipientChange, settledBalance } from '@tributary/rewards-fold/recipient-change';
import { entitlementColumns, toRow } from './entitlement-row.ts';
import { postingColumns, toPostingRow } from './posting-row.ts';

/**
 * Writes rewards, ledger and totals of recipients whose rows are locked. One statement for all of
 * it: a busy recipient's lock is held for as long as the round trips take. A posting that exists
 * already is a bug of the caller and fails the transaction.
 *
 * `due_at` is never later than the first release with something to do. It may be earlier, where
 * the reward that set it is gone: finding out would mean to look at the recipient's other rewards,
 * which a release does and a fold does not (see `writeDueAt`).
 */
export async function writeRecipientChanges(
  tx: Tx,
  changes: readonly RecipientChange[],
): Promise<void> {
  const postings = changes.flatMap((change) => change.postings);
  await tx.query({
    name: 'write_recipient_changes',
    text: `with rewarded as (
             insert into entitlement (${columns})
             select ${columns}
             from unnest($1::uuid[], $2::int[], $3::text[], $4::text[], $5::text[], $6::text[],
               $7::numeric[], $8::numeric[], $9::int[], $10::int[], $11::text[], $12::text[],
               $13::text[], $14::text[], $15::text[], $16::int[], $17::text[], $18::text[],
               $19::text[], $20::text[], $21::json[], $22::json[], $23::text[], $24::json[],
               $25::text[], $26::int[], $27::json[], $28::json[]) as next (${columns})
             on conflict (reward_id) do update set ${replaced}
           ), posted as (
             insert into ledger_posting (${posted})
             select * from unnest($29::uuid[], $30::text[], $31::text[], $32::uuid[], $33::text[],
               $34::int[], $35::uuid[], $36::text[], $37::numeric[], $38::numeric[],
               $39::numeric[], $40::text[], $41::numeric[], $42::numeric[])
           )
           update recipient
           set entitled = next.entitled, issued = next.issued, held = next.held,
             owing = next.owing,
             due_at = case when next.open then least(recipient.due_at, next.due_at) end,
             due_since = case when recipient.due_at <= now() then recipient.due_since else now() end
           from unnest($43::text[], $44::text[], $45::numeric[], $46::numeric[], $47::numeric[],
             $48::boolean[], $49::boolean[], $50::timestamptz[])
             as next (tenant_id, recipient_id, entitled, issued, held, owing, open, due_at)
           where recipient.tenant_id = next.tenant_id
             and recipient.recipient_id = next.recipient_id`,
    values: [
      ...entitlementValues(changes),
      ...columnsOf(postings.map(toPostingRow), ...postingColumns),
      ...totalsValues(changes),
    ],
  });
}

const columns = entitlementColumns.join(', ');
const posted = postingColumns.join(', ');
const replaced = entitlementColumns
  .filter((column) => column !== 'reward_id')
  .map((column) => `${column} = excluded.${column}`)
  .join(', ');

function entitlementValues(changes: readonly RecipientChange[]): unknown[][] {
  const rows = changes.flatMap((change) => change.entitlements).map(toRow);
  return entitlementColumns.map((column) =>
    rows.map((row) => {
      const value = row[column];
      return Array.isArray(value) ? JSON.stringify(value) : value;
    }),
  );
}

function totalsValues(changes: readonly RecipientChange[]): unknown[][] {
  return [
    changes.map((c) => c.recipient.tenantId),
    changes.map((c) => c.recipient.recipientId),
    changes.map((c) => formatCredits(c.totals.entitled)),
    changes.map((c) => formatCredits(c.totals.issued)),
    changes.map((c) => formatCredits(c.totals.held)),
    changes.map((c) => settledBalance(c.totals) < 0n),
    changes.map((c) => c.totals.held > 0n || settledBalance(c.totals) > 0n),
    changes.map((c) => (c.dueAt === '' ? '-infinity' : (c.dueAt ?? null))),
  ];
}

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
  const all = changes.flatMap((change) => change.postings);
  const postings = all.filter(({ opens }) => !opens);
  await tx.query({
    name: 'write_recipient_changes',
    text: `with rewarded as (
             insert into entitlement (${columns}, opened_credits, opened_decision_version, opened_at)
             select ${columns}, opened_credits, opened_decision_version,
               case when opened_credits is not null then now() end
             from unnest($1::uuid[], $2::int[], $3::text[], $4::text[], $5::text[], $6::text[],
               $7::numeric[], $8::numeric[], $9::int[], $10::int[], $11::text[], $12::text[],
               $13::text[], $14::text[], $15::text[], $16::int[], $17::text[], $18::text[],
               $19::text[], $20::text[], $21::json[], $22::json[], $23::text[], $24::json[],
               $25::text[], $26::int[], $27::json[], $28::json[], $29::numeric[], $30::int[])
               as next (${columns}, opened_credits, opened_decision_version)
             on conflict (reward_id) do update set ${replaced}, ${opening}
           ), posted as (
             insert into posting (${posted})
             select * from unnest($31::uuid[], $32::text[], $33::text[], $34::uuid[], $35::text[],
               $36::int[], $37::uuid[], $38::text[], $39::numeric[], $40::numeric[],
               $41::numeric[], $42::text[], $43::numeric[], $44::numeric[])
           )
           update recipient
           set entitled = next.entitled, issued = next.issued, held = next.held,
             owing = next.owing,
             due_at = case when next.open then least(recipient.due_at, next.due_at) end,
             due_since = case when recipient.due_at <= now() then recipient.due_since else now() end
           from unnest($45::text[], $46::text[], $47::numeric[], $48::numeric[], $49::numeric[],
             $50::boolean[], $51::boolean[], $52::timestamptz[])
             as next (tenant_id, recipient_id, entitled, issued, held, owing, open, due_at)
           where recipient.tenant_id = next.tenant_id
             and recipient.recipient_id = next.recipient_id`,
    values: [
      ...entitlementValues(changes),
      ...openingValues(changes),
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

/** What opened the books of a reward is what it was, when the reward gets another cause. */
const opening = ['decision_id', 'campaign_id']
  .map(
    (column) => `opened_${column} = case
      when entitlement.opened_credits is not null and entitlement.${column} <> excluded.${column}
      then coalesce(entitlement.opened_${column}, entitlement.${column})
      else entitlement.opened_${column} end`,
  )
  .join(', ');

function openingValues(changes: readonly RecipientChange[]): unknown[][] {
  const openings = new Map(
    changes.flatMap(({ postings }) =>
      postings.filter(({ opens }) => opens).map((posting) => [posting.rewardId, posting] as const),
    ),
  );
  const rows = changes
    .flatMap((change) => change.entitlements)
    .map(({ rewardId, entitled, cause }) =>
      openings.has(rewardId) ? [formatCredits(entitled), cause?.decisionVersion] : [null, null],
    );
  return [rows.map(([credits]) => credits), rows.map(([, version]) => version)];
}

function entitlementValues(changes: readonly RecipientChange[]): unknown[][] {
  const rows = changes.flatMap((change) => change.entitlements).map(toRow);
  return entitlementColumns.map((column) =>
    rows.map((row) => {
      const value = row[column];
      return Array.isArray(value) || column === 'texts' ? JSON.stringify(value) : value;
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

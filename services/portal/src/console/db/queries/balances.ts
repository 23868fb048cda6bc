import type { KeptBack } from '@tributary/contracts/reward-state';
import type { Balance } from '@tributary/contracts/admin/event-answers';
import { settledBalance } from '../../domain/open-credits.ts';
import { minus, plus } from '../../domain/exact-decimal.ts';
import { type Class, findClasses, sumClasses } from './classes.ts';
import { countSettled } from './count-rewards.ts';
import type { Queryable } from './queryable.ts';
import { keptBackAs, settledUnpaid } from './reward-state.ts';

export type CampaignBalance = Balance & { campaignId: string };

/**
 * What one recipient has, by campaign and in total. Sums are exact (numeric). Issued is the sum of
 * the issuance facts; owed is what is entitled less what is issued, and below zero when the
 * recipient owes. Held, review and withheld are what is kept back of rewards, also what a settled
 * one has grown by; reversed is what refunds and withdrawals took.
 */
export async function recipientBalance(
  db: Queryable,
  tenantId: string,
  recipientId: string,
): Promise<{ total: Balance; campaigns: CampaignBalance[] }> {
  const { rows } = await db.query<Row>(
    balanceStatement({ where: 'recipient_id = $2', by: 'campaign_id' }),
    [tenantId, recipientId],
  );
  return {
    total: balanceOf(rows.find(({ isTotal }) => isTotal)),
    campaigns: rows
      .filter(({ isTotal }) => !isTotal)
      .map((row) => ({ campaignId: row.name, ...balanceOf(row) })),
  };
}

/**
 * The same of a campaign, over all recipients: of what was counted as it was written, and of the
 * few settled rewards that wait. Recipients are counted among its first {@link rewardsCounted}
 * rewards.
 */
export async function campaignBalance(
  db: Queryable,
  tenantId: string,
  campaignId: string,
): Promise<{ total: Balance; recipients: number; moreRecipients: boolean }> {
  const campaign = { campaign: campaignId };
  const classes = await findClasses(db, tenantId, 'reward', campaign);
  const states = new Map(classes.map((one) => [one.class, one.state]));
  const sums = await sumClasses(db, classes, {});
  const paid = await sumClasses(db, await findClasses(db, tenantId, 'issuance', campaign), {});
  const settled = await countSettled(db, tenantId, campaign);
  const sum = (credits: readonly (string | undefined)[]) =>
    credits.reduce<string>((total, one) => plus(total, one ?? '0'), '0');
  const kept = (state: KeptBack) =>
    sum([
      ...sums.map((one) => (states.get(one.class) === state ? one.open : '0')),
      ...settled.map(({ values, credits }) => (values.state === state ? credits : '0')),
    ]);
  const entitled = sum(sums.map(({ credits }) => credits));
  const issued = sum(paid.map(({ credits }) => credits));
  const total = {
    entitled,
    held: kept('held'),
    review: kept('review'),
    withheld: kept('withheld'),
    issued,
    reversed: sum(sums.map(({ taken }) => taken)),
    owed: minus(entitled, issued),
  };
  return { total, ...(await countRecipients(db, tenantId, classes)) };
}

async function countRecipients(
  db: Queryable,
  tenantId: string,
  classes: readonly Class[],
): Promise<{ recipients: number; moreRecipients: boolean }> {
  const { rows } = await db.query<{ recipients: number; moreRecipients: boolean }>(
    `select count(distinct recipient_id)::int as recipients,
       count(*) > ${rewardsCounted} as "moreRecipients"
     from (select recipient_id from reward where class = any($1::bigint[]) and tenant_id = $2
       limit ${rewardsCounted + 1}) as counted`,
    [classes.map((one) => one.class), tenantId],
  );
  return rows[0] ?? { recipients: 0, moreRecipients: false };
}

const rewardsCounted = 10_000;

/** What settled rewards leave open, of each of these recipients. */
export async function settledBalances(
  db: Queryable,
  tenantId: string,
  recipientIds: readonly string[],
): Promise<Map<string, string>> {
  if (recipientIds.length === 0) return new Map();
  const { rows } = await db.query<Row>(
    balanceStatement({ where: 'recipient_id = any($2)', by: 'recipient_id' }),
    [tenantId, recipientIds],
  );
  return new Map(
    rows.filter(({ isTotal }) => !isTotal).map((row) => [row.name, settledBalance(row)]),
  );
}

type Row = Balance & { name: string; isTotal: boolean };

function balanceOf(row: Balance | undefined): Balance {
  const { entitled, held, review, withheld, issued, reversed, owed } = row ?? nothing;
  return { entitled, held, review, withheld, issued, reversed, owed };
}

const nothing: Balance = {
  entitled: '0',
  held: '0',
  review: '0',
  withheld: '0',
  issued: '0',
  reversed: '0',
  owed: '0',
};

/**
 * Sums per campaign or recipient, then their total. What is kept back of a reward is what its own
 * record has not issued; what is issued in all the issuances say.
 */
function balanceStatement({ where, by }: { where: string; by: 'campaign_id' | 'recipient_id' }) {
  const of = (table: string) => `${table}.tenant_id = $1 and ${table}.${where}`;
  const open = (condition: string) => `
      select ${by}, greatest(entitled - reward.issued, 0) as credits, ${keptBackAs} as kept_back
      from reward where ${of('reward')} and ${condition}`;
  return `
    with earned as (
      select ${by}, sum(entitled) as entitled, sum(greatest(granted - entitled, 0)) as reversed
      from reward where ${of('reward')} group by ${by}
    ), paid as (
      select ${by}, sum(credits) as issued from issuance
      where ${of('issuance')} group by ${by}
    ), open as (
      ${open(`state in ('held', 'review', 'withheld')`)}
      union all
      ${open(settledUnpaid)}
    ), kept as (
      select ${by}, ${keptBack
        .map((kind) => `sum(credits) filter (where kept_back = '${kind}') as ${kind}`)
        .join(', ')}
      from open where kept_back is not null group by ${by}
    )
    select ${by} as name, grouping(${by}) = 1 as "isTotal",
      ${total('earned.entitled')} as entitled,
      ${keptBack.map((kind) => `${total(`kept.${kind}`)} as ${kind}`).join(', ')},
      ${total('paid.issued')} as issued,
      ${total('earned.reversed')} as reversed,
      ${total('coalesce(earned.entitled, 0) - coalesce(paid.issued, 0)')} as owed
    from earned full join paid using (${by}) left join kept using (${by})
    group by grouping sets ((${by}), ()) order by ${by}`;
}

const keptBack = ['held', 'review', 'withheld'] as const;

function total(what: string): string {
  return `trim_scale(coalesce(sum(${what}), 0))::text`;
}

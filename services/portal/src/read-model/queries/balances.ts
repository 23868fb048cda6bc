import type { Balance } from '../../domain/explain/story.ts';
import type { Queryable } from './queryable.ts';

export type CampaignBalance = Balance & { campaignId: string };

/**
 * What one recipient has, by campaign and in total. Sums are exact (numeric). Issued is the sum of the
 * issuance facts; owed is what is entitled less what is issued, and below zero when the recipient
 * owes. Held, review and withheld are what is not issued of the rewards in that state; reversed is
 * what refunds and withdrawals took.
 */
export async function recipientBalance(
  db: Queryable,
  tenantId: string,
  recipientId: string,
): Promise<{ total: Balance; campaigns: CampaignBalance[] }> {
  const { rows } = await db.query<CampaignBalance & { isTotal: boolean }>(
    balanceStatement('recipient_id'),
    [tenantId, recipientId],
  );
  return {
    total: balanceOf(rows.find(({ isTotal }) => isTotal)),
    campaigns: rows
      .filter(({ isTotal }) => !isTotal)
      .map((row) => ({ campaignId: row.campaignId, ...balanceOf(row) })),
  };
}

/** The same of a campaign, over all recipients. */
export async function campaignBalance(
  db: Queryable,
  tenantId: string,
  campaignId: string,
): Promise<{ total: Balance; recipients: number }> {
  const { rows } = await db.query<CampaignBalance & { isTotal: boolean; recipients: number }>(
    balanceStatement('campaign_id'),
    [tenantId, campaignId],
  );
  const total = rows.find(({ isTotal }) => isTotal);
  return { total: balanceOf(total), recipients: total?.recipients ?? 0 };
}

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
 * Sums per campaign, then their total. What is issued of rewards that are still open (an entitlement
 * that grew again) is taken from their sum by a join of its own, as there are few of them.
 */
function balanceStatement(column: 'recipient_id' | 'campaign_id'): string {
  const of = (table: string) => `${table}.tenant_id = $1 and ${table}.${column} = $2`;
  return `
    with earned as (
      select campaign_id, sum(entitled) as entitled, sum(greatest(granted - entitled, 0)) as reversed,
        ${openStates.map((state) => `sum(entitled) filter (where state = '${state}') as ${state}`).join(', ')}
      from reward where ${of('reward')} group by campaign_id
    ), paid as (
      select campaign_id, sum(credits) as issued from issuance
      where ${of('issuance')} group by campaign_id
    ), part_paid as (
      select reward.campaign_id, reward.state, least(reward.entitled, sum(issuance.credits)) as credits
      from reward join issuance using (reward_id)
      where ${of('reward')} and reward.state = any('{${openStates.join(',')}}')
      group by reward_id
    ), closed as (
      select campaign_id,
        ${openStates.map((state) => `sum(credits) filter (where state = '${state}') as ${state}`).join(', ')}
      from part_paid group by campaign_id
    )
    select campaign_id as "campaignId", grouping(campaign_id) = 1 as "isTotal",
      (select count(*)::int from (select distinct recipient_id from reward where ${of('reward')})
        as recipient) as recipients,
      ${total('earned.entitled')} as entitled,
      ${openStates
        .map((state) => `${total(`earned.${state} - coalesce(closed.${state}, 0)`)} as ${state}`)
        .join(', ')},
      ${total('paid.issued')} as issued,
      ${total('earned.reversed')} as reversed,
      ${total('coalesce(earned.entitled, 0) - coalesce(paid.issued, 0)')} as owed
    from earned full join paid using (campaign_id) left join closed using (campaign_id)
    group by grouping sets ((campaign_id), ()) order by campaign_id`;
}

const openStates = ['held', 'review', 'withheld'] as const;

function total(what: string): string {
  return `trim_scale(coalesce(sum(${what}), 0))::text`;
}

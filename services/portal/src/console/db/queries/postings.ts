import type { Accounts, Posting } from '@tributary/contracts/admin/history';
import { keyOf, timeKeyOf, timeOf } from '@tributary/generations/read-model-keys';
import { type Movement, postingOf } from '../../domain/postings.ts';
import type { Listed, Page } from './paging.ts';
import type { Queryable } from './queryable.ts';

/**
 * The ledger of rewards, found again: what a version of a reward promises more or less than the one
 * before, and what was issued. Nothing of it is stored; a posting is at the time when the log got
 * what it follows from, so a month that is over never changes: a version that comes after a newer
 * one moves nothing.
 */
export type PostingsOf = { event: string } | { reward: string } | { recipient: string };

export type PostingWithBalance = Posting & { balance: Accounts };

/** The first one first. */
export async function listPostings(
  db: Queryable,
  tenantId: string,
  of: PostingsOf,
  { limit, after }: Page,
): Promise<Listed<Posting>> {
  const { rows } = await db.query<Row>(
    `${postings(conditionOf(of))}
     select ${shown} from posting
     where $3::bigint is null or (at, place) > ($3, $4) order by at, place limit $5`,
    [tenantId, valueOf(of), after ? timeKeyOf(after.at) : null, after?.id ?? null, limit + 1],
  );
  return listed(rows, limit, (row) => postingOf(movementOf(row)));
}

export type Month = {
  month: string;
  postings: number;
  promised: string;
  granted: string;
  closing: Accounts;
};

/** Months that have postings, the first month first. */
export async function monthsOf(
  db: Queryable,
  tenantId: string,
  recipientId: string,
): Promise<Month[]> {
  const { rows } = await db.query<Sums & { month: string; postings: number }>(
    `${postings(conditionOf({ recipient: recipientId }))},
     by_month as (
       select at / ${partOfMonth} as month, count(*)::int as postings,
         sum(promised) as promised, sum(granted) as granted
       from posting group by 1
     )
     select month::text, postings, trim_scale(promised)::text as promised,
       trim_scale(granted)::text as granted, ${accounts('over (order by month)')}
     from by_month order by by_month.month`,
    [tenantId, recipientId],
  );
  return rows.map(({ month, postings: count, promised, granted, ...closing }) => ({
    month: monthOf(month),
    ...{ postings: count, promised, granted },
    closing: accountsOf(closing),
  }));
}

/** Balances of a recipient before and after a month, and what moved credits in it. */
export async function statementOf(
  db: Queryable,
  asked: { tenantId: string; recipientId: string; month: string },
  { limit, after }: Page,
): Promise<Listed<PostingWithBalance> & { opening: Accounts; closing: Accounts }> {
  const { tenantId, recipientId } = asked;
  const month = asked.month.replace('-', '');
  const ledger = postings(conditionOf({ recipient: recipientId }));
  const { rows } = await db.query<Row & Accounts>(
    `${ledger}, balanced as (
       select *, ${accounts('over (order by at, place)')} from posting
     )
     select ${shown}, entitled, owed, issued from balanced
     where at / ${partOfMonth} = $3 and ($4::bigint is null or (at, place) > ($4, $5))
     order by at, place limit $6`,
    [
      ...[tenantId, recipientId, month],
      ...[after ? timeKeyOf(after.at) : null, after?.id ?? null, limit + 1],
    ],
  );
  const page = listed(rows, limit, (row) => ({
    ...postingOf(movementOf(row)),
    balance: accountsOf(row),
  }));
  const balanceAt = async (comparison: string): Promise<Accounts> => {
    const { rows: sums } = await db.query<Accounts>(
      `${ledger} select ${accounts('')} from posting where at / ${partOfMonth} ${comparison} $3`,
      [tenantId, recipientId, month],
    );
    return accountsOf(sums[0]!);
  };
  return { ...page, opening: await balanceAt('<'), closing: await balanceAt('<=') };
}

/** What of the digits of a time follows those of its month. */
const partOfMonth = 10n ** 11n;

function monthOf(digits: string): string {
  const padded = digits.padStart(6, '0');
  return `${padded.slice(0, 4)}-${padded.slice(4)}`;
}

function conditionOf(of: PostingsOf): string {
  if ('recipient' in of) return 'recipient_id = $2';
  if ('reward' in of) return 'reward_id = $2::uuid';
  // Those that it causes; of a refund, those of its purchase.
  const causes = `(select $2::uuid union
    select refund_of from decision where event_id = $2::uuid and refund_of is not null)`;
  return `reward_id in (select reward_id from reward where event_id in ${causes}
    union select reward_id from reward_version where event_id in ${causes})`;
}

function valueOf(of: PostingsOf): string {
  if ('recipient' in of) return of.recipient;
  return keyOf('reward' in of ? of.reward : of.event);
}

/** Parameters: the tenant, and what the condition is about. */
function postings(condition: string): string {
  const versions = (table: string) => `
      select reward_id, event_id, recipient_id, version, changed_at, campaign_id, entitled
      from ${table} where tenant_id = $1 and ${condition}`;
  return `
    with version as (${versions('reward')} union all ${versions('reward_version')}),
    told as (
      select *, max(version) over (partition by reward_id order by changed_at, version
        rows between unbounded preceding and 1 preceding) as newest
      from version
    ), compared as (
      select *, coalesce(lag(entitled) over own, 0) as before,
        lag(campaign_id) over own as campaign_before
      from told where newest is null or version > newest
      window own as (partition by reward_id order by version)
    ), posting as (
      select changed_at as at, reward_id || ' 0 ' || lpad(version::text, 10, '0') as place,
        reward_id, event_id, recipient_id, version, null::uuid as issuance_id, campaign_id,
        case when has_moved then entitled else entitled - before end as credits,
        case when has_moved then campaign_before end as left_campaign_id,
        case when has_moved then before end as left_credits,
        entitled - before as promised, 0::numeric as granted
      from compared, lateral (
        select campaign_before <> campaign_id and before <> 0 as has_moved) as campaign
      where entitled <> before or has_moved
      union all
      select recorded_at, reward_id || ' 1 ' || issuance_id, reward_id,
        (select event_id from reward where reward.reward_id = issuance.reward_id), recipient_id,
        null, issuance_id, campaign_id, credits, null, null, 0, credits
      from issuance where tenant_id = $1 and ${condition}
    )`;
}

const shown = `at, place, reward_id as "rewardId", event_id as "eventId",
  recipient_id as "recipientId", version, issuance_id as "issuanceId",
  campaign_id as "campaignId", trim_scale(credits)::text as credits,
  left_campaign_id as "leftCampaignId", trim_scale(left_credits)::text as "leftCredits"`;

/** Sums of what was promised and granted are the accounts of it. */
function accounts(over: string): string {
  const sum = (what: string, name: string) =>
    `trim_scale(coalesce(sum(${what}) ${over}, 0))::text as ${name}`;
  return [
    sum('-promised', 'entitled'),
    sum('promised - granted', 'owed'),
    sum('granted', 'issued'),
  ].join(', ');
}

type Row = Movement & { place: string };
type Sums = Accounts & { promised: string; granted: string };

function movementOf({ place: _p, ...movement }: Row): Movement {
  return { ...movement, at: timeOf(movement.at) };
}

function accountsOf({ entitled, owed, issued }: Accounts): Accounts {
  return { entitled, owed, issued };
}

function listed<T>(rows: readonly Row[], limit: number, show: (row: Row & Accounts) => T) {
  const items = rows.slice(0, limit).map((row) => show(row as Row & Accounts));
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return { items, next: last && { at: timeOf(last.at), id: last.place } };
}

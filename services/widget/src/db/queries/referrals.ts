import type { ReferralState } from '@tributary/contracts/public/widget-session';
import { timeOf } from '@tributary/generations/read-model-keys';
import type { Queryable } from './queryable.ts';

export type Referral = {
  userId: string;
  /**
   * What is known of their name; null: not known, or erased. Whoever answers evaluates what is
   * shown of it.
   */
  name: string | null;
  firstName: string | null;
  lastName: string | null;
  state: ReferralState;
  /** When they came to that state, UTC with milliseconds. */
  at: string;
};

export type Referrals = {
  total: number;
  byState: Record<ReferralState, number>;
  /** The newest first. */
  latest: Referral[];
};

/**
 * Users with a fact that was attributed to this referrer, in any campaign; `limit`: of the latest.
 */
export async function referralsOf(
  db: Queryable,
  tenantId: string,
  referrerId: string,
  limit = 50,
): Promise<Referrals> {
  const { rows } = await db.query<{
    counts: Partial<Referrals['byState']>;
    latest: StoredReferral[];
  }>({
    name: 'widget_referrals_of',
    text: referralsStatement,
    values: [tenantId, referrerId, limit],
  });
  const { counts = {}, latest = [] } = rows[0] ?? {};
  const byState = { 'signed-up': 0, 'demo-attended': 0, purchased: 0, refunded: 0, ...counts };
  const total = Object.values(byState).reduce((sum, n) => sum + n, 0);
  return { total, byState, latest: latest.map(toReferral) };
}

/** Its time as digits: as a number of JSON it would lose some. */
type StoredReferral = Omit<Referral, 'at'> & { at: string };

function toReferral({ at, ...referral }: StoredReferral): Referral {
  return { ...referral, at: timeOf(at) };
}

/**
 * Whether a signup of this user was decided, whatever the outcome and whoever reported it. One that
 * was accepted a moment ago may not have been yet.
 */
export async function signupSeen(
  db: Queryable,
  tenantId: string,
  userId: string,
): Promise<boolean> {
  const { rows } = await db.query<{ seen: boolean }>({
    name: 'widget_signup_seen',
    text: `select exists (select from decision where tenant_id = $1 and new_user_id = $2
             and event_type = 'signup-created') as seen`,
    values: [tenantId, userId],
  });
  return rows[0]!.seen;
}

/**
 * A user is where their furthest fact is. Of purchases the first that is not refunded in full
 * counts, and with none left the refund that took the last one.
 */
const referralsStatement = `
  with facts as (
    select new_user_id,
      min(reached_at) filter (where event_type = 'signup-created') as signed_up_at,
      min(reached_at) filter (where event_type = 'demo-attended') as demo_at,
      min(reached_at) filter (where event_type = 'purchase-created' and refunded_at is null)
        as purchased_at,
      max(refunded_at) as refunded_at
    from decision where tenant_id = $1 and referrer_id = $2 group by new_user_id
  ), referral as materialized (
    select new_user_id,
      case when purchased_at is not null then 'purchased'
        when refunded_at is not null then 'refunded'
        when demo_at is not null then 'demo-attended'
        else 'signed-up' end as state,
      coalesce(purchased_at, refunded_at, demo_at, signed_up_at) as at
    from facts
  ), newest as (
    select * from referral order by at desc, new_user_id limit $3
  )
  select
    (select coalesce(json_object_agg(state, n), '{}')
     from (select state, count(*) as n from referral group by state) as counted) as counts,
    (select coalesce(json_agg(json_build_object('userId', new_user_id, 'name', name,
       'firstName', first_name, 'lastName', last_name, 'state', state, 'at', at::text) order by at desc, new_user_id), '[]')
     from newest left join person on tenant_id = $1 and user_id = new_user_id) as latest`;

import type { RewardRecord } from '@tributary/contracts/reward-record';
import { createConditions } from './conditions.ts';
import { addPeriod, type Listed, type Page, pageClause, toListed } from './paging.ts';
import type { Queryable } from './queryable.ts';

export type RewardFilter = {
  state?: string | undefined;
  recipient?: string | undefined;
  role?: string | undefined;
  campaign?: string | undefined;
  rule?: string | undefined;
  /** The referred user. */
  user?: string | undefined;
  event?: string | undefined;
  /** By the time it was first recorded, UTC with milliseconds; `to` is not included. */
  from?: string | undefined;
  to?: string | undefined;
};

export type RewardRow = { rewardId: string; recordedAt: string; record: RewardRecord };

const columns = 'reward_id as "rewardId", recorded_at as "recordedAt", record';

/** Also a settled one with more to come under a revision that was published later than its event. */
const inReview = `(state = 'review' or (state = 'issued' and record -> 'reviewReasons' is not null
  and (record ->> 'issuedCredits')::numeric < (record ->> 'entitledCredits')::numeric))`;

/** Newest first, by the time the log got the first version of a reward. */
export async function listRewards(
  db: Queryable,
  tenantId: string,
  filter: RewardFilter,
  page: Page,
): Promise<Listed<RewardRow>> {
  const conditions = createConditions();
  conditions.equal('tenant_id', tenantId);
  if (filter.state === 'review') conditions.add(inReview);
  else conditions.equal('state', filter.state);
  conditions.equal('recipient_id', filter.recipient);
  conditions.equal('recipient_role', filter.role);
  conditions.equal('campaign_id', filter.campaign);
  conditions.equal('rule_id', filter.rule);
  conditions.equal('new_user_id', filter.user);
  conditions.equal('event_id', filter.event);
  addPeriod(conditions, 'recorded_at', filter);
  const end = pageClause(conditions, page, { at: 'recorded_at', id: 'reward_id' });
  const { rows } = await db.query<RewardRow>(
    `select ${columns} from reward where ${conditions.where()} ${end}`,
    conditions.values,
  );
  return toListed(rows, page.limit, ({ recordedAt, rewardId }) => ({
    at: recordedAt,
    id: rewardId,
  }));
}

export async function rewardsOfEvents(
  db: Queryable,
  tenantId: string,
  eventIds: readonly string[],
): Promise<RewardRecord[]> {
  const { rows } = await db.query<{ record: RewardRecord }>(
    `select record from reward where tenant_id = $1 and event_id = any($2)
     order by recorded_at, reward_id`,
    [tenantId, eventIds],
  );
  return rows.map(({ record }) => record);
}

export async function findReward(
  db: Queryable,
  rewardId: string,
): Promise<RewardRecord | undefined> {
  const { rows } = await db.query<{ record: RewardRecord }>(
    'select record from reward where reward_id = $1',
    [rewardId],
  );
  return rows[0]?.record;
}

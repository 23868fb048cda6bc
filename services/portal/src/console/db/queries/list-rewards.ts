import type { FilterOf } from '@tributary/contracts/admin/query-parameters';
import type { readModelRoutes } from '@tributary/contracts/admin/read-model';
import type { RewardRecord } from '@tributary/contracts/reward-record';
import { type ShownReward, showReward } from '@tributary/contracts/reward-state';
import type { OpenPart } from '../../domain/open-credits.ts';
import { keyOf, timeOf } from '@tributary/generations/read-model-keys';
import { unpack } from '../stored/pack.ts';
import { findRewardPlaces } from './find-reward-places.ts';
import { keyed, type Listed, type Page } from './paging.ts';
import { openPartsOf } from './open-credits.ts';
import type { Queryable } from './queryable.ts';

/**
 * Kept back in part is enough for a state: a settled reward that has grown may be in review too.
 * The period is that of the first record.
 */
export type RewardFilter = FilterOf<(typeof readModelRoutes)['listRewards']['query']>;

export type RewardRow = { recordedAt: string; reward: ShownReward; open: OpenPart[] };

/** By the time the log got the first version of a reward. */
export async function listRewards(
  db: Queryable,
  tenantId: string,
  filter: RewardFilter,
  page: Page,
): Promise<Listed<RewardRow>> {
  const { ids, next } = await findRewardPlaces(db, tenantId, filter, keyed(page));
  const { rows } = await db.query<{ recordedAt: string; record: Buffer }>(
    `select recorded_at as "recordedAt", record
     from unnest($1::uuid[]) with ordinality as found (reward_id, place)
     join reward using (reward_id) order by place`,
    [ids],
  );
  const rewards = rows.map(({ record }) => showReward(unpack<RewardRecord>(record)));
  const open = await openPartsOf(db, tenantId, rewards);
  const items = rewards.map((reward, i) => ({
    recordedAt: timeOf(rows[i]?.recordedAt ?? ''),
    reward,
    open: open.get(reward.rewardId) ?? [],
  }));
  return { items, next };
}

export async function rewardsOfEvents(
  db: Queryable,
  tenantId: string,
  eventIds: readonly string[],
): Promise<ShownReward[]> {
  const { rows } = await db.query<{ record: Buffer }>(
    `select record from reward where tenant_id = $1 and event_id = any($2::uuid[])
     order by recorded_at, reward_id`,
    [tenantId, eventIds.map(keyOf)],
  );
  return rows.map(({ record }) => showReward(unpack(record)));
}

export async function findReward(
  db: Queryable,
  rewardId: string,
): Promise<ShownReward | undefined> {
  const { rows } = await db.query<{ record: Buffer }>(
    'select record from reward where reward_id = $1',
    [keyOf(rewardId)],
  );
  const [row] = rows;
  return row && showReward(unpack(row.record));
}

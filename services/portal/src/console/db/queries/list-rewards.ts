import type { FilterOf } from '@tributary/contracts/admin/query-parameters';
import type { readModelRoutes } from '@tributary/contracts/admin/read-model';
import type { RewardRecord } from '@tributary/contracts/reward-record';
import { type ShownReward, type ShownState, showReward } from '@tributary/contracts/reward-state';
import type { OpenPart } from '../../domain/open-credits.ts';
import { keyOf, timeOf } from '@tributary/generations/read-model-keys';
import { unpack } from '../stored/pack.ts';
import { type Conditions, createConditions } from './conditions.ts';
import { addPeriod, keyed, type Listed, type Page, pageClause, toListed } from './paging.ts';
import { openPartsOf } from './open-credits.ts';
import type { Queryable } from './queryable.ts';
import { keptBackAs, settledUnpaid } from './reward-state.ts';

/**
 * Kept back in part is enough for a state: a settled reward that has grown may be in review too.
 * The period is that of the first record.
 */
export type RewardFilter = FilterOf<(typeof readModelRoutes)['listRewards']['query']>;

export type RewardRow = { recordedAt: string; reward: ShownReward; open: OpenPart[] };

/** Newest first, by the time the log got the first version of a reward. */
export async function listRewards(
  db: Queryable,
  tenantId: string,
  filter: RewardFilter,
  page: Page,
): Promise<Listed<RewardRow>> {
  const conditions = createConditions();
  conditions.equal('tenant_id', tenantId);
  addState(conditions, filter.state);
  conditions.equal('recipient_id', filter.recipient);
  conditions.equal('recipient_role', filter.role);
  conditions.equal('campaign_id', filter.campaign);
  conditions.equal('rule_id', filter.rule);
  conditions.equal('new_user_id', filter.user);
  conditions.equal('event_id', filter.event && keyOf(filter.event));
  addPeriod(conditions, 'recorded_at', filter);
  const end = pageClause(conditions, keyed(page), { at: 'recorded_at', id: 'reward_id' });
  const { rows } = await db.query<{ recordedAt: string; record: Buffer }>(
    `select recorded_at as "recordedAt", record from reward where ${conditions.where()} ${end}`,
    conditions.values,
  );
  const found = rows.map(({ recordedAt, record }) => ({
    recordedAt: timeOf(recordedAt),
    record: unpack<RewardRecord>(record),
  }));
  const { items, next } = toListed(found, page.limit, ({ recordedAt, record }) => ({
    at: recordedAt,
    id: record.rewardId,
  }));
  const rewards = items.map(({ record }) => showReward(record));
  const open = await openPartsOf(db, tenantId, rewards);
  return {
    items: rewards.map((reward, i) => ({
      recordedAt: items[i]?.recordedAt ?? '',
      reward,
      open: open.get(reward.rewardId) ?? [],
    })),
    next,
  };
}

function addState(conditions: Conditions, state: ShownState | undefined): void {
  switch (state) {
    case undefined:
      return;
    case 'issued':
      return conditions.equal('state', state);
    case 'held':
    case 'review':
    case 'withheld':
      conditions.add(`(state = '${state}' or ${settledUnpaid})`);
      return conditions.add(`${keptBackAs} = '${state}'`);
    case 'reversed':
      conditions.equal('state', state);
      return conditions.add('not capped');
    case 'capped':
      conditions.equal('state', 'reversed');
      return conditions.add('capped');
    default:
      return state satisfies never;
  }
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

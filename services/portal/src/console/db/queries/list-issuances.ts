import type { FilterOf } from '@tributary/contracts/admin/query-parameters';
import type { readModelRoutes } from '@tributary/contracts/admin/read-model';
import type { DeliveryFact } from '@tributary/contracts/delivery-record';
import type { IssuanceRecord, RewardActionRecord } from '@tributary/contracts/issuance-record';
import { keyOf, timeKeyOf } from '@tributary/generations/read-model-keys';
import type { IssuanceStory } from '../../domain/explain/story.ts';
import { unpack, unpackMaybe } from '../stored/pack.ts';
import type { Conditions } from './conditions.ts';
import { keyed, type Listed, type Page } from './paging.ts';
import { type Places, placesIn, placesWalked, type Source } from './places.ts';
import type { Queryable } from './queryable.ts';

export type IssuanceFilter = FilterOf<(typeof readModelRoutes)['listIssuances']['query']>;

/** By the time of issue. */
export async function listIssuances(
  db: Queryable,
  tenantId: string,
  filter: IssuanceFilter,
  page: Page,
): Promise<Listed<IssuanceRecord>> {
  const { ids, next } = await findIssuancePlaces(db, tenantId, filter, keyed(page));
  const { rows } = await db.query<{ record: Buffer }>(
    `select record from unnest($1::uuid[]) with ordinality as found (issuance_id, place)
     join issuance using (issuance_id) order by place`,
    [ids],
  );
  return { items: rows.map(({ record }) => unpack(record)), next };
}

/** All of the filter but its period. */
export function addIssuanceFilter(
  conditions: Conditions,
  tenantId: string,
  { recipient, campaign, reward }: IssuanceFilter,
): void {
  conditions.equal('tenant_id', tenantId);
  conditions.equal('reward_id', reward && keyOf(reward));
  conditions.equal('recipient_id', recipient);
  conditions.equal('campaign_id', campaign);
}

async function findIssuancePlaces(
  db: Queryable,
  tenantId: string,
  filter: IssuanceFilter,
  page: Page,
): Promise<Places> {
  const issued = { at: 'issuance.issued_at', id: 'issuance.issuance_id' };
  const where = (conditions: Conditions, wanted: IssuanceFilter) =>
    addIssuanceFilter(conditions, tenantId, wanted);
  const { recipient, campaign, reward } = filter;
  // A reward has few issuances; recipients and campaigns may have many, and no index is by both.
  const isOfBoth = recipient !== undefined && campaign !== undefined && reward === undefined;
  const driving = isOfBoth ? { recipient } : filter;
  const driver: Source = { ...issued, from: 'issuance', where: (all) => where(all, driving) };
  if (!isOfBoth) return placesIn(db, [driver], filter, page);
  const from = 'issuance on issuance.issuance_id = walked.id';
  return placesWalked(db, driver, { from, where: (left) => where(left, filter) }, filter, page);
}

/** In order of issue. */
export async function issuancesOfRewards(
  db: Queryable,
  tenantId: string,
  rewardIds: readonly string[],
): Promise<IssuanceRecord[]> {
  const { rows } = await db.query<{ record: Buffer }>(
    `select record from issuance where tenant_id = $1 and reward_id = any($2::uuid[])
     order by issued_at, issuance_id`,
    [tenantId, rewardIds.map(keyOf)],
  );
  return rows.map(({ record }) => unpack(record));
}

/**
 * Those of a recipient, or of one reward, whose reward is not there; the newest ones, each with the
 * credits and the number of all of them. Later than `readTo` their reward may not have been read.
 */
export async function issuancesWithoutReward(
  db: Queryable,
  tenantId: string,
  of: ({ recipientId: string } | { rewardId: string }) & { readTo: string; limit: number },
): Promise<{ issuance: IssuanceRecord; total: string; count: number }[]> {
  const [column, id] =
    'recipientId' in of ? ['recipient_id', of.recipientId] : ['reward_id', keyOf(of.rewardId)];
  const { rows } = await db.query<{ record: Buffer; total: string; count: number }>(
    `select record, trim_scale(sum(credits) over ())::text as total, (count(*) over ())::int as count
     from issuance
     where tenant_id = $1 and ${column} = $2 and recorded_at <= $3
       and not exists (select from reward where reward.reward_id = issuance.reward_id
         and reward.tenant_id = $1 and reward.${column} = $2)
     order by issued_at desc, issuance_id limit $4`,
    [tenantId, id, timeKeyOf(of.readTo), of.limit],
  );
  return rows.map(({ record, ...all }) => ({ issuance: unpack(record), ...all }));
}

/** The tenant of what was issued for a reward, whether or not that is there. */
export async function tenantOfIssued(db: Queryable, rewardId: string): Promise<string | undefined> {
  const { rows } = await db.query<{ tenantId: string }>(
    'select tenant_id as "tenantId" from issuance where reward_id = $1 limit 1',
    [keyOf(rewardId)],
  );
  return rows[0]?.tenantId;
}

/** By sequence. */
export async function actionsOfRewards(
  db: Queryable,
  tenantId: string,
  rewardIds: readonly string[],
): Promise<RewardActionRecord[]> {
  const { rows } = await db.query<{ record: RewardActionRecord }>(
    'select record from reward_action where tenant_id = $1 and reward_id = any($2::uuid[])',
    [tenantId, rewardIds.map(keyOf)],
  );
  return rows.map(({ record }) => record).sort((a, b) => a.sequence - b.sequence);
}

/** Each with its deliveries, in the order given. */
export async function withDeliveries(
  db: Queryable,
  tenantId: string,
  issuances: readonly IssuanceRecord[],
): Promise<IssuanceStory[]> {
  const ids = issuances.map(({ issuanceId }) => issuanceId);
  const deliveries = Map.groupBy(
    await deliveriesOfIssuances(db, tenantId, ids),
    ({ issuanceId }) => issuanceId,
  );
  return issuances.map((issuance) => ({
    issuance,
    deliveries: deliveries.get(issuance.issuanceId) ?? [],
  }));
}

/** As they follow each other. */
export async function deliveriesOfIssuances(
  db: Queryable,
  tenantId: string,
  issuanceIds: readonly string[],
): Promise<DeliveryFact[]> {
  const keys = issuanceIds.map(keyOf);
  const { rows } = await db.query<{ packed: Buffer | null; action: DeliveryFact | null }>(
    `select record as packed, null::json as action from delivery
     where tenant_id = $1 and issuance_id = any($2::uuid[])
     union all
     select null, record from delivery_action
     where tenant_id = $1 and issuance_id = any($2::uuid[])`,
    [tenantId, keys],
  );
  return rows
    .flatMap(({ packed, action }) => action ?? unpackMaybe<DeliveryFact>(packed) ?? [])
    .sort(byPlace);
}

/** A round begins with its resend, goes on by attempts, and may end with an expiry. */
function byPlace(a: DeliveryFact, b: DeliveryFact): number {
  if (a.round !== b.round) return a.round - b.round;
  return placeInRound(a) - placeInRound(b);
}

function placeInRound(fact: DeliveryFact): number {
  switch (fact.type) {
    case 'resent':
      return 0;
    case 'attempted':
      return fact.attempt;
    case 'expired':
      return Infinity;
    default:
      return fact satisfies never;
  }
}

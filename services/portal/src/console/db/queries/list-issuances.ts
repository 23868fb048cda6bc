import type { FilterOf } from '@tributary/contracts/admin/query-parameters';
import type { readModelRoutes } from '@tributary/contracts/admin/read-model';
import type { DeliveryFact } from '@tributary/contracts/delivery-record';
import type { IssuanceRecord, RewardActionRecord } from '@tributary/contracts/issuance-record';
import { keyOf } from '@tributary/generations/read-model-keys';
import { unpack, unpackMaybe } from '../stored/pack.ts';
import { createConditions } from './conditions.ts';
import { addPeriod, keyed, type Listed, type Page, pageClause, toListed } from './paging.ts';
import type { Queryable } from './queryable.ts';

export type IssuanceFilter = FilterOf<(typeof readModelRoutes)['listIssuances']['query']>;

/** Newest first. */
export async function listIssuances(
  db: Queryable,
  tenantId: string,
  filter: IssuanceFilter,
  page: Page,
): Promise<Listed<IssuanceRecord>> {
  const conditions = createConditions();
  conditions.equal('tenant_id', tenantId);
  conditions.equal('recipient_id', filter.recipient);
  conditions.equal('campaign_id', filter.campaign);
  conditions.equal('reward_id', filter.reward && keyOf(filter.reward));
  addPeriod(conditions, 'issued_at', filter);
  const end = pageClause(conditions, keyed(page), { at: 'issued_at', id: 'issuance_id' });
  const { rows } = await db.query<{ record: Buffer }>(
    `select record from issuance where ${conditions.where()} ${end}`,
    conditions.values,
  );
  const records = rows.map(({ record }) => unpack<IssuanceRecord>(record));
  return toListed(records, page.limit, ({ issuedAt, issuanceId }) => ({
    at: issuedAt,
    id: issuanceId,
  }));
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

import { columnsOf } from '@tributary/runtime/columns';
import type { Tx } from '@tributary/runtime/postgres';
import type { TierQuestion } from '@tributary/rewards-fold/fold-tables';
import { laneName } from '@tributary/rewards-fold/step';
import type { Boundaries } from '@tributary/rewards-fold/tiers';
import { byIndex, digestOf } from './steps.ts';

/**
 * Where a referrer's count of users reaches each threshold, before and after the users in question
 * are counted anew. Under the lock of the referrer; steps have been written. A threshold costs as
 * many index entries as it has users, not as many as the referrer has.
 */
export async function refreshTiers(
  tx: Tx,
  questions: readonly TierQuestion[],
): Promise<{ before: Boundaries; after: Boundaries }[]> {
  const lanes = questions.map((question) => digestOf(laneName(question)));
  const before = await readBoundaries(tx, lanes);
  await countNewLanes(
    tx,
    lanes.filter((lane) => !before.has(lane)),
  );
  await countUsers(tx, lanes, questions);
  const sortKeys = await readSortKeys(tx, lanes, questions);
  const after = lanes.map((lane): Boundaries => sortKeys.get(lane) ?? new Map());
  await writeBoundaries(tx, lanes, after);
  return lanes.map((lane, i) => ({
    before: before.get(lane) ?? new Map<number, string>(),
    after: after[i] ?? new Map<number, string>(),
  }));
}

async function readBoundaries(tx: Tx, lanes: readonly string[]): Promise<Map<string, Boundaries>> {
  const { rows } = await tx.query<{ lane: string; boundaries: [number, string][] }>({
    name: 'read_boundaries',
    text: 'select lane, boundaries from tier_lane where lane = any($1::uuid[])',
    values: [lanes],
  });
  return new Map(rows.map((row) => [row.lane, new Map(row.boundaries)]));
}

/** A campaign that gets its first tier has referrers whose users were not counted. */
async function countNewLanes(tx: Tx, lanes: readonly string[]): Promise<void> {
  await tx.query({
    name: 'count_new_lanes',
    text: `insert into tier_user (lane, new_user_id, place)
           select lane, new_user_id, min(place)
           from unnest($1::uuid[]) as asked (lane)
           cross join lateral (
             select new_user_id, place from step
             where step.lane = asked.lane and is_standing ${byIndex}
           ) as step
           group by lane, new_user_id`,
    values: [lanes],
  });
}

async function countUsers(
  tx: Tx,
  lanes: readonly string[],
  questions: readonly TierQuestion[],
): Promise<void> {
  const users = questions.flatMap((question, i) =>
    question.newUserIds.map((newUserId) => ({
      lane: lanes[i],
      newUserId,
      referral: digestOf(
        JSON.stringify([question.tenantId, question.campaignId, question.referrerId, newUserId]),
      ),
    })),
  );
  await tx.query({
    name: 'count_tier_users',
    text: `with counted as (
             select lane, new_user_id, (
               select min(step.place) from step
               where step.referral = asked.referral and step.is_standing) as place
             from unnest($1::uuid[], $2::text[], $3::uuid[])
               as asked (lane, new_user_id, referral)
           ), gone as (
             delete from tier_user using counted
             where tier_user.lane = counted.lane
               and tier_user.new_user_id = counted.new_user_id and counted.place is null
           )
           insert into tier_user (lane, new_user_id, place)
           select lane, new_user_id, place from counted where place is not null
           on conflict (lane, new_user_id) do update set place = excluded.place
             where tier_user.place <> excluded.place`,
    values: columnsOf(users, 'lane', 'newUserId', 'referral'),
  });
}

async function readSortKeys(
  tx: Tx,
  lanes: readonly string[],
  questions: readonly TierQuestion[],
): Promise<Map<string, Map<number, string>>> {
  const asked = questions.flatMap(({ thresholds }, i) =>
    thresholds.map((threshold) => ({ lane: lanes[i], threshold })),
  );
  const { rows } = await tx.query<{ lane: string; threshold: number; place: string }>({
    name: 'read_tier_places',
    text: `select asked.lane, asked.threshold, reached.place
           from unnest($1::uuid[], $2::int[]) as asked (lane, threshold)
           cross join lateral (
             select place from tier_user where tier_user.lane = asked.lane
             order by left(place, 48), place
             offset asked.threshold - 1 limit 1
           ) as reached`,
    values: [asked.map((one) => one.lane), asked.map((one) => one.threshold)],
  });
  const sortKeys = new Map<string, Map<number, string>>();
  for (const { lane, threshold, place } of rows) {
    sortKeys.set(lane, (sortKeys.get(lane) ?? new Map<number, string>()).set(threshold, place));
  }
  return sortKeys;
}

async function writeBoundaries(
  tx: Tx,
  lanes: readonly string[],
  boundaries: readonly Boundaries[],
): Promise<void> {
  await tx.query({
    name: 'write_boundaries',
    text: `insert into tier_lane (lane, boundaries)
           select lane, boundaries from unnest($1::uuid[], $2::json[]) as next (lane, boundaries)
           on conflict (lane) do update set boundaries = excluded.boundaries
             where tier_lane.boundaries::text <> excluded.boundaries::text`,
    values: [lanes, boundaries.map((one) => JSON.stringify([...one]))],
  });
}

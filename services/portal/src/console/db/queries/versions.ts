import type { DecisionRecord } from '@tributary/contracts/decision-record';
import type { RewardRecord } from '@tributary/contracts/reward-record';
import { keyOf, timeOf } from '@tributary/generations/read-model-keys';
import { unpack } from '../stored/pack.ts';
import type { Queryable } from './queryable.ts';

/** `recordedAt`: when the log got it. */
export type Version<T> = { version: number; recordedAt: string; record: T };

/** Every decision on an event of the tenant, the first version first. */
export function decisionVersions(
  db: Queryable,
  tenantId: string,
  eventId: string,
): Promise<Version<DecisionRecord>[]> {
  const tables = { table: 'decision', id: 'event_id', changedAt: 'recorded_at' };
  return versionsOf(db, tables, [tenantId, keyOf(eventId)]);
}

export function rewardVersions(
  db: Queryable,
  tenantId: string,
  rewardId: string,
): Promise<Version<RewardRecord>[]> {
  const tables = { table: 'reward', id: 'reward_id', changedAt: 'changed_at' };
  return versionsOf(db, tables, [tenantId, keyOf(rewardId)]);
}

async function versionsOf<T>(
  db: Queryable,
  { table, id, changedAt }: { table: string; id: string; changedAt: string },
  values: [tenantId: string, key: string],
): Promise<Version<T>[]> {
  const from = (name: string) =>
    `select version, ${changedAt} as "recordedAt", record from ${name}
     where tenant_id = $1 and ${id} = $2`;
  const { rows } = await db.query<{ version: number; recordedAt: string; record: Buffer }>(
    `${from(table)} union all ${from(`${table}_version`)} order by version`,
    values,
  );
  return rows.map(({ version, recordedAt, record }) => ({
    version,
    recordedAt: timeOf(recordedAt),
    record: unpack<T>(record),
  }));
}

import type { RewardRecord } from '@tributary/contracts/reward-record';
import type pg from 'pg';

/** How many of these are stored, in their version or a later one (evaluate-generation.ts). */
export async function countKnownRewards(
  pool: pg.Pool,
  rewards: readonly RewardRecord[],
): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `select count(*)::int as count
     from unnest($1::uuid[], $2::int[]) as sent (reward_id, version)
     join entitlement using (reward_id)
     where entitlement.version >= sent.version`,
    [rewards.map((r) => r.rewardId), rewards.map((r) => r.version)],
  );
  return rows[0]!.count;
}

/** There are rewards, not only stubs of issuances, and all of them are on the log. */
export async function hasSentRewards(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query<{ sent: boolean }>(
    `select exists (select from entitlement where version > 0)
       and not exists (select from outbox) as sent`,
  );
  return rows[0]!.sent;
}

import type { DecisionRecord } from '@tributary/contracts/decision-record';
import type pg from 'pg';

/** How many of these are stored, in their version or a later one (evaluate-generation.ts). */
export async function countKnownDecisions(
  pool: pg.Pool,
  decisions: readonly DecisionRecord[],
): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `select count(*)::int as count
     from unnest($1::text[], $2::int[]) as sent (event_id, version)
     join fact using (event_id)
     where fact.version >= sent.version`,
    [decisions.map((d) => d.eventId), decisions.map((d) => d.version)],
  );
  return rows[0]!.count;
}

/** There are decisions, and all of them are on the log. */
export async function hasSentDecisions(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query<{ sent: boolean }>(
    'select exists (select from fact) and not exists (select from outbox) as sent',
  );
  return rows[0]!.sent;
}

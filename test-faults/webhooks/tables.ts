import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import type pg from 'pg';
import type { Dispatcher } from './dispatcher.ts';

/** How many deliveries are in which state; states that none is in are left out. */
export async function countStates(db: pg.Pool): Promise<Record<string, number>> {
  const { rows } = await db.query<{ state: string; count: number }>(
    `select state, count(*)::int as count from delivery group by 1 order by 1`,
  );
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}

/** What must be true again when nothing is under way. */
export async function expectNothingHeld(db: pg.Pool): Promise<void> {
  const { rows } = await db.query<Record<string, number>>(
    `select (select count(*)::int from delivery where claimed_by is not null) as claimed,
       coalesce(sum(in_flight), 0)::int as in_flight,
       coalesce(sum(retries_in_flight), 0)::int as retries_in_flight from endpoint`,
  );
  expect(rows[0]).to.deep.equal({ claimed: 0, in_flight: 0, retries_in_flight: 0 });
}

export type ClaimedRow = {
  id: string;
  attempts: number;
  worker: string;
  /** Nobody else sends it before, by the database's clock. */
  leaseEnd: Date;
};

/** What this process has claimed, under whichever of its worker ids. */
export async function claimsOf(db: pg.Pool, { pid }: Dispatcher): Promise<ClaimedRow[]> {
  const { rows } = await db.query<ClaimedRow>(
    `select d.webhook_event_id as id, d.attempts, d.claimed_by as worker,
       w.alive_until as "leaseEnd"
     from delivery d join worker w on w.worker_id = d.claimed_by
     where w.name like '%/' || $1::text`,
    [pid],
  );
  return rows;
}

/**
 * True when the one dispatcher that runs fell asleep in a transaction, whose locks it would keep.
 */
export async function sleepsInTransaction(db: pg.Pool): Promise<boolean> {
  return eventually(
    async () => {
      const { rows } = await db.query<{ idle: number; active: number }>(
        `select count(*) filter (where now() - state_change > interval '400 ms')::int as idle,
           count(*)::int as active
         from pg_stat_activity
         where application_name = 'webhook-dispatcher' and datname = current_database()
           and state in ('idle in transaction', 'active')`,
      );
      const { idle, active } = rows[0]!;
      if (idle > 0) return true;
      if (active > 0) throw new Error('it still works');
      return false;
    },
    { everyMs: 30 },
  );
}

/** All there is, with what an answer brought left out: as a rebuilt schema must have it too. */
export async function readEverything(db: pg.Pool) {
  const deliveries = await db.query<Record<string, unknown>>(
    `select webhook_event_id, tenant_id, issuance_id, reward_id, recipient_id,
       convert_from(body, 'UTF8') as body, issued_at, state, round, round_started_at, attempts,
       step, case when state = 'pending' then due_at end as due_at, finished_at
     from delivery order by 1`,
  );
  const attempts = await db.query<Record<string, unknown>>(
    `select webhook_event_id, attempt, round, step, outcome, result, status_code, started_at,
       duration_ms
     from attempt order by 1, 2`,
  );
  const endpoints = await db.query<Record<string, unknown>>(
    `select tenant_id, version, status, url, username, sealed_password, reason
     from endpoint order by 1`,
  );
  return { deliveries: deliveries.rows, attempts: attempts.rows, endpoints: endpoints.rows };
}

/** Resolves when all of these are delivered, and nothing else is open. */
export async function untilDelivered(db: pg.Pool, count: number, deadlineMs: number) {
  await eventually(async () => expect(await countStates(db)).to.deep.equal({ delivered: count }), {
    deadlineMs,
    everyMs: 100,
  });
}

import { setTimeout as delay } from 'node:timers/promises';
import { withClient } from '@tributary/testkit/database';
import { asOwnRole } from '../pipeline/servers.ts';

export type LockWaits = {
  /** Sessions of the watched database that were at work, summed up over all looks. */
  atWork: number;
  /** Those of them that waited for a lock of another. */
  waiting: number;
};

/** Looks at the sessions of a database forty times a second, until it is ended. */
export function watchLocks(url: string): { end(): Promise<LockWaits> } {
  const seen = { atWork: 0, waiting: 0 };
  const watching = { over: false };
  const looking = withClient(asOwnRole(url), async (db) => {
    for (; !watching.over; await delay(25)) {
      const { rows } = await db.query<LockWaits>(sessions);
      seen.atWork += rows[0]!.atWork;
      seen.waiting += rows[0]!.waiting;
    }
  });
  // Reported by `end`.
  looking.catch(() => undefined);
  return {
    async end() {
      watching.over = true;
      await looking;
      return seen;
    },
  };
}

const sessions = `select count(*)::int as "atWork",
    (count(*) filter (where wait_event_type = 'Lock'))::int as waiting
  from pg_stat_activity
  where datname = current_database() and state = 'active' and backend_type = 'client backend'
    and usename <> current_user`;

import { eventually } from '@tributary/testkit/eventually';
import type { Queryable } from './inspect.ts';

/** A row of projection_position; the offset as a number, which a test never outgrows. */
export type PositionRow = { partition: string; epoch: number; next: number };

/** Stored positions of one projection's schema, keyed by topic and partition. */
export async function readPositions(db: Queryable, schema: string): Promise<PositionRow[]> {
  const { rows } = await db.query<PositionRow>(
    `select topic || '/' || partition as partition, epoch::int, next_offset::int as next
     from ${schema}.projection_position order by 1`,
  );
  return rows;
}

/** Looks at positions again and again and remembers every step back. */
export function watchPositions(db: Queryable, schemas: readonly string[]) {
  const highest = new Map<string, PositionRow>();
  const stepsBack: string[] = [];
  let looking: Promise<void> = look();
  const timer = setInterval(() => {
    looking = looking.then(look);
  }, 100);

  async function look(): Promise<void> {
    for (const schema of schemas) {
      for (const now of await readPositions(db, schema)) {
        const name = `${schema} ${now.partition}`;
        const before = highest.get(name);
        if (before && (now.next < before.next || now.epoch < before.epoch)) {
          stepsBack.push(`${name}: ${JSON.stringify(before)}, then ${JSON.stringify(now)}`);
        }
        highest.set(name, now);
      }
    }
  }

  return {
    stepsBack,
    async stop() {
      clearInterval(timer);
      await looking;
    },
  };
}

/**
 * True when a client of this name sits in a transaction: asleep there, it would hold its row locks
 * until Postgres ends its session after 5 s (`idle_in_transaction_session_timeout`).
 */
export async function sleepsInTransaction(db: Queryable, application: string): Promise<boolean> {
  // A session that works is for a moment between two statements; one that sleeps stays.
  return eventually(
    async () => {
      const { rows } = await db.query<{ idle: number; active: number }>(
        `select count(*) filter (where now() - state_change > interval '400 ms')::int as idle,
                count(*)::int as active
         from pg_stat_activity
         where application_name = $1 and datname = current_database()
           and state in ('idle in transaction', 'active')`,
        [application],
      );
      const { idle, active } = rows[0]!;
      if (idle > 0) return true;
      if (active > 0) throw new Error(`${application} still works`);
      return false;
    },
    { everyMs: 30 },
  );
}

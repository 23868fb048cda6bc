import { setTimeout as delay } from 'node:timers/promises';
import { again } from './load.ts';
import type { Battlefield, Nemesis } from './nemesis.ts';

/** Those that write. */
const services = ['attribution', 'rewards', 'webhook-dispatcher', 'portal', 'replay'];

type Ended = { service: string; state: string; statement: string };

/** A commit takes about a millisecond. */
const lookEveryMs = 1;
const longestLookMs = 60_000;

/** Ends sessions of services while they are as `where` says, one at a time. */
function endSessions(nemesis: Pick<Nemesis, 'name' | 'says'>, where: string): Nemesis {
  const text = `
    with found as materialized (
      select pid, application_name as service, state, left(query, 60) as statement
      from pg_stat_activity
      where application_name = any($1) and datname = current_database() and ${where}
      order by random() limit 1)
    select service, state, statement from found where pg_terminate_backend(pid)`;
  return {
    ...nemesis,
    run: (field) =>
      again(field, async () => {
        const deadline = performance.now() + longestLookMs;
        while (performance.now() < deadline) {
          const { rows } = await field.db.query<Ended>(text, [services]);
          const [ended] = rows;
          if (ended !== undefined) {
            return field.fired(`a session of ${ended.service} was ended ${whenOf(ended)}`);
          }
          await delay(lookEveryMs);
        }
      }),
  };
}

function whenOf({ state, statement }: Ended): string {
  return `when it was ${state}, at: ${statement.replaceAll(/\s+/g, ' ').trim()}`;
}

export const endsInTransaction = endSessions(
  {
    name: 'postgres-ends-transaction',
    says: 'Postgres ends sessions of services between two statements of a transaction',
  },
  `state = 'idle in transaction'`,
);

export const endsAtCommit = endSessions(
  { name: 'postgres-ends-at-commit', says: 'Postgres ends sessions of services at their COMMIT' },
  `state = 'active' and query ilike 'commit%'`,
);

export const endsAllSessions: Nemesis = {
  name: 'postgres-ends-all',
  says: 'Postgres ends all sessions of all services at once, again and again',
  run: (field) =>
    again(field, async () => {
      const { sessions, busy } = await endAllSessions(field);
      if (sessions > 0) field.fired(`${sessions} sessions were ended, ${busy} of them at work`);
    }),
};

export async function endAllSessions({ db }: Battlefield) {
  const { rows } = await db.query<{ sessions: number; busy: number }>(
    `with found as materialized (
       select pid, state from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()
         and backend_type = 'client backend' and application_name <> '')
     select count(*)::int as sessions, (count(*) filter (where state <> 'idle'))::int as busy
     from found where pg_terminate_backend(pid)`,
  );
  return rows[0]!;
}

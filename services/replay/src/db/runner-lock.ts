import { setTimeout as delay } from 'node:timers/promises';
import { connectionConfig } from '@tributary/runtime/postgres-connection';
import type { PostgresSettings } from '@tributary/runtime/variables';
import pg from 'pg';

/**
 * The right to run jobs: a lock of one session, so it ends with the connection, and thus with the
 * process. The holder must notice first that its connection is gone, as the server gives the lock
 * to the next one at that moment: it asks every second, and takes no answer for a loss.
 */
export type RunnerLock = {
  /** Aborted when the lock is lost. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
};

/** Undefined: somebody else has it. @throws when the database cannot be asked. */
export async function takeRunnerLock(settings: PostgresSettings): Promise<RunnerLock | undefined> {
  const client = new pg.Client({
    ...connectionConfig(settings, {
      searchPath: [settings.schema],
      applicationName: 'replay runner',
    }),
    connectionTimeoutMillis: 5_000,
    query_timeout: answerMs,
    keepAlive: true,
  });
  const lost = new AbortController();
  let released = false;
  const lose = () =>
    lost.abort(new Error('the connection that holds the right to run jobs is lost'));
  client.on('error', lose);
  client.on('end', lose);
  await client.connect();
  const end = () => client.end().catch(() => undefined);
  try {
    const { rows } = await client.query<{ taken: boolean }>(
      `select pg_try_advisory_lock(hashtextextended('replay runner ' || current_schema(), 0)) as taken`,
    );
    if (!rows[0]?.taken) {
      await end();
      return undefined;
    }
  } catch (error) {
    await end();
    throw error;
  }

  async function watch(): Promise<void> {
    while (!lost.signal.aborted && !released) {
      try {
        await delay(askEveryMs, undefined, { signal: lost.signal, ref: false });
        if (!released) await client.query('select 1');
      } catch {
        lose();
      }
    }
    if (!released) await end();
  }
  void watch();

  return {
    lost: lost.signal,
    async release() {
      released = true;
      await end();
    },
  };
}

const askEveryMs = 1_000;
const answerMs = 5_000;

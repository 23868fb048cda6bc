import pg from 'pg';
import type { TestServer } from './test-server.ts';

/**
 * A standby of an owned Postgres, as far as its clients can tell: it has the database as it is now
 * and gets nothing any more. `promote` kills the server and answers in its place, at the same
 * address, with what the standby has. All that was committed in between is gone, as after an
 * asynchronous failover.
 */
export async function startLaggingStandby(
  server: TestServer,
): Promise<{ promote(): Promise<void> }> {
  const name = new URL(server.address).pathname.slice(1);
  const standby = `${name}_standby`;
  await asAdmin(server, [
    `alter database ${name} with allow_connections false`,
    // A template may not be in use.
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
    `create database ${standby} template ${name}`,
    `alter database ${name} with allow_connections true`,
  ]);
  return {
    async promote() {
      // Nobody may see the old one again after the restart.
      await asAdmin(server, [`alter database ${name} with allow_connections false`]);
      await server.kill();
      await server.restart();
      await asAdmin(server, [
        `drop database ${name} with (force)`,
        `alter database ${standby} rename to ${name}`,
      ]);
    },
  };
}

async function asAdmin(server: TestServer, statements: readonly string[]): Promise<void> {
  const url = new URL(server.address);
  url.pathname = '/postgres';
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

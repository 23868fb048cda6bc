import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { getServers } from './servers.ts';

export type TestDatabase = { url: string; drop(): Promise<void> };

/** A fresh, empty database of the shared Postgres: one per spec file, dropped in its `after`. */
export async function createDatabase(): Promise<TestDatabase> {
  const { postgresUrl } = await getServers();
  const name = `t_${randomBytes(6).toString('hex')}`;
  await run(postgresUrl, `create database ${name}`);
  const url = new URL(postgresUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    // Forced: a test that failed may still hold connections.
    drop: () => run(postgresUrl, `drop database if exists ${name} with (force)`),
  };
}

async function run(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

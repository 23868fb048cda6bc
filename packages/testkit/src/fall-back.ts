import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';

const run = promisify(execFile);

/** A database as it is now, to take the place of what it will have become. */
export type LaggingCopy = {
  /** At once, as a standby that lags becomes the primary: whoever is connected is cut off. */
  takeOver(): Promise<void>;
};

export async function copyDatabase(url: string): Promise<LaggingCopy> {
  const name = new URL(url).pathname.slice(1);
  const copy = `${name}_copy`;
  const dump = join(tmpdir(), `${copy}.dump`);
  await onServer(url, `create database ${copy}`);
  await run('pg_dump', ['--format', 'custom', '--file', dump, '--dbname', url]);
  await run('pg_restore', ['--dbname', withName(url, copy), dump]);
  await rm(dump);
  return {
    takeOver: () =>
      onServer(
        url,
        `drop database ${name} with (force)`,
        `alter database ${copy} rename to ${name}`,
      ),
  };
}

async function onServer(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: withName(url, 'postgres') });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

function withName(url: string, name: string): string {
  const other = new URL(url);
  other.pathname = `/${name}`;
  return other.href;
}

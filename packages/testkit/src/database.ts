import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { eventually } from './eventually.ts';
import { getServers } from './servers.ts';

export type TestDatabase = { url: string; drop(): Promise<void> };

/** A fresh, empty database of the shared Postgres: one per spec file, dropped in its `after`. */
export async function createDatabase(): Promise<TestDatabase> {
  return create('t', '');
}

/**
 * A fresh database as `prepare` leaves an empty one, for specs that want one per test: it is
 * prepared once for each `name` in a process, and every database is a copy of that. `prepare` must
 * end its connections; its template goes when the process has run its tests.
 */
export async function createPreparedDatabase(
  name: string,
  prepare: (url: string) => Promise<void>,
): Promise<TestDatabase> {
  let template = templates.get(name);
  if (template === undefined) {
    template = makeTemplate(prepare);
    templates.set(name, template);
    // One that failed is made anew for the next caller.
    template.catch(() => templates.delete(name));
  }
  return create('t', `template ${nameOf(await template)}`);
}

const templates = new Map<string, Promise<TestDatabase>>();

/** Called by mocha-hooks.ts when all tests of this process have run. */
export async function dropTemplates(): Promise<void> {
  const made = await Promise.allSettled(templates.values());
  templates.clear();
  const drop = (template: TestDatabase) => template.drop().catch(() => undefined);
  // One that cannot be dropped went with its server.
  for (const one of made) if (one.status === 'fulfilled') await drop(one.value);
}

async function makeTemplate(prepare: (url: string) => Promise<void>): Promise<TestDatabase> {
  const template = await create('template', '');
  try {
    await prepare(template.url);
  } catch (error) {
    await template.drop().catch(() => undefined);
    throw error;
  }
  return template;
}

async function create(kind: string, of: string): Promise<TestDatabase> {
  const { postgresUrl } = await getServers();
  const name = `${kind}_${randomBytes(6).toString('hex')}`;
  await queryOnce(postgresUrl, `create database ${name} ${of}`);
  const url = new URL(postgresUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    async drop() {
      const drop = `drop database if exists ${name}`;
      // Connections that were ended last are there for a moment; whoever had them would be told of
      // their loss. Then by force: a test that failed may still hold some.
      const unforced = () => queryOnce(postgresUrl, drop);
      await eventually(unforced, { deadlineMs: 300, factor: 1 }).catch(() =>
        queryOnce(postgresUrl, `${drop} with (force)`),
      );
    },
  };
}

function nameOf({ url }: TestDatabase): string {
  return new URL(url).pathname.slice(1);
}

/** One statement on a connection of its own, which is ended whatever comes of it. */
export async function queryOnce<Row extends pg.QueryResultRow>(
  where: string | pg.ClientConfig,
  sql: string,
  values?: unknown[],
): Promise<pg.QueryResult<Row>> {
  return withClient(where, (client) => client.query<Row>(sql, values));
}

/** Work on a connection of its own, which is ended whatever comes of it. */
export async function withClient<T>(
  where: string | pg.ClientConfig,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client(where);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

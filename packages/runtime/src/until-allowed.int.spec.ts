import { randomBytes } from 'node:crypto';
import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import pg from 'pg';
import type { Logger } from './logger.ts';
import { migrate } from './migrate.ts';
import { untilStopped } from './until-allowed.ts';

describe('a service that lacks a right in Postgres', () => {
  const role = `limited_${randomBytes(4).toString('hex')}`;
  let database: TestDatabase;
  let admin: pg.Client;
  before(async () => {
    database = await createDatabase();
    admin = new pg.Client({ connectionString: database.url });
    await admin.connect();
    await admin.query(`create role ${role} login`);
  });
  after(async () => {
    await admin.query(`drop owned by ${role} cascade`);
    await admin.query(`drop role ${role}`);
    await admin.end();
    await database.drop();
  });

  it('says who lacks what, once, and goes on when it is granted', async () => {
    const said: string[] = [];
    const settings = { url: asRole(database.url) };
    const migrated = migrate({ settings, schema: 'own', sets: [], logger: writingTo(said) });
    let done = false;
    void migrated.then(() => (done = true));
    await eventually(() => expect(said).to.have.length(1));
    expect(said[0]).to.match(
      new RegExp(`^postgres refuses ${role}: permission denied for database .*; trying again$`),
    );
    expect(done).to.equal(false);
    const { rows } = await admin.query<{ name: string }>('select current_database() as name');
    await admin.query(`grant create on database ${rows[0]!.name} to ${role}`);
    await migrated;
    expect(said).to.have.length(1);
  });

  it('stops waiting when its work has to stop', async () => {
    const said: string[] = [];
    const stopping = new AbortController();
    const url = new URL(asRole(database.url));
    url.username = `${role}_nobody`;
    const migrated = untilStopped(stopping.signal, () =>
      migrate({ settings: { url: url.href }, schema: 'own2', sets: [], logger: writingTo(said) }),
    ).catch((error: unknown) => error);
    await eventually(() => expect(said).to.have.length(1));
    stopping.abort();
    expect(await migrated).to.be.instanceOf(Error);
  });

  it('is told of everything else at once', async () => {
    const url = new URL(database.url);
    url.pathname = '/nowhere';
    const settings = { url: url.href };
    const error = await migrate({ settings, schema: 'own', sets: [], logger: writingTo([]) }).then(
      () => undefined,
      (thrown: Error) => thrown,
    );
    expect(error?.message).to.match(/does not exist/);
  });

  function asRole(url: string): string {
    const own = new URL(url);
    own.username = role;
    own.password = '';
    return own.href;
  }
});

function writingTo(lines: string[]): Logger {
  const ignore = () => undefined;
  const error = (message: string) => void lines.push(message);
  const logger: Logger = { debug: ignore, info: ignore, warn: ignore, error, child: () => logger };
  return logger;
}

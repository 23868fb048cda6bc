import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { createLogger } from './logger.ts';
import { migrate, type MigrationSet } from './migrate.ts';

const logger = createLogger({ service: 'test', level: 'silent' });

describe('migrations', () => {
  let database: TestDatabase;
  let client: pg.Client;
  let root: string;

  before(async () => {
    database = await createDatabase();
    root = await mkdtemp(join(tmpdir(), 'tributary-migrate-'));
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
  });
  after(async () => {
    await client.end();
    await database.drop();
    await rm(root, { recursive: true });
  });

  async function writeSet(table: string, files: Record<string, string>): Promise<MigrationSet> {
    const dir = join(root, table);
    await mkdir(dir, { recursive: true });
    for (const [name, sql] of Object.entries(files)) {
      await writeFile(join(dir, name), `-- Up Migration\n\n${sql}\n`);
    }
    return { dir, table };
  }

  const run = (schema: string, ...sets: MigrationSet[]) =>
    migrate({ settings: { url: database.url }, schema, sets, logger });

  async function tablesOf(schema: string): Promise<string[]> {
    const { rows } = await client.query<{ name: string }>(
      'select tablename as name from pg_tables where schemaname = $1 order by 1',
      [schema],
    );
    return rows.map(({ name }) => name);
  }

  it('apply each set in its order into the schema, which is made when missing', async () => {
    const shared = await writeSet('migration_shared', {
      '0001_base.sql': 'create table base (id int primary key);',
    });
    const own = await writeSet('migration_own', {
      '0002_second.sql': 'alter table first add column b int;',
      '0001_first.sql': 'create table first (a int references base (id));',
      '0010_tenth.sql': 'alter table first rename column b to c;',
    });
    await run('alpha', shared, own);
    const names = ['base', 'first', 'migration_own', 'migration_shared'];
    expect(await tablesOf('alpha')).to.deep.equal(names);
    expect(await tablesOf('public')).to.deep.equal([]);
    await client.query('select a, c from alpha.first');
  });

  it('run once, however many replicas start at the same time', async () => {
    const set = await writeSet('migration_counted', {
      '0001_make.sql': 'create table counted (n int); insert into counted values (1);',
      '0002_wait.sql': 'insert into counted select 2 from pg_sleep(0.1);',
    });
    await Promise.all(Array.from({ length: 4 }, () => run('beta', set)));
    const { rows } = await client.query('select n from beta.counted order by n');
    expect(rows).to.deep.equal([{ n: 1 }, { n: 2 }]);
  });

  it('take no table from whoever needs it to come to an end, and go on when that has', async () => {
    const files: Record<string, string> = {
      '0001_make.sql': 'create table wanted (n int); create table held (n int);',
    };
    await run('held_up', await writeSet('migration_yielding', files));
    const older = new pg.Client({ connectionString: database.url });
    await older.connect();
    await older.query('begin');
    await older.query('insert into held_up.held values (1)');
    files['0002_change.sql'] = `lock table wanted, held in access exclusive mode;
      alter table wanted add column b int;`;
    const migrating = run('held_up', await writeSet('migration_yielding', files)).then(
      () => 'done',
      (error: Error) => error.message,
    );
    await eventually(async () => {
      const { rowCount } = await client.query(
        `select from pg_locks where not granted and relation = 'held_up.held'::regclass`,
      );
      expect(rowCount).to.equal(1);
    });
    // The other way round: this would wait for the migration, and that waits for this.
    await older.query('insert into held_up.wanted values (1)');
    await older.query('commit');
    expect(await migrating).to.equal('done');
    const { rows } = await client.query('select n, b from held_up.wanted');
    expect(rows).to.deep.equal([{ n: 1, b: null }]);
    await older.end();
  });

  it('build an index while others write, and while other replicas wait for it', async () => {
    const first = {
      '0001_make.sql': 'create table busy (n int); insert into busy values (1), (2);',
    };
    await run('online', await writeSet('migration_online', first));
    const set = await writeSet('migration_online', {
      '0002_column.sql': 'alter table busy add column b int;',
      '0003_index.concurrently.sql':
        '-- Of all rows.\ndrop index concurrently if exists busy_n;\n' +
        'create index concurrently busy_n on busy (n);',
      '0004_after.sql': 'insert into busy values (4, 4);',
    });
    const older = new pg.Client({ connectionString: database.url });
    await older.connect();
    // It holds a snapshot, which the index has to wait for.
    await older.query('begin isolation level repeatable read');
    await older.query('select 1');
    const replicas = Promise.all([run('online', set), run('online', set), run('online', set)]);
    try {
      await eventually(async () => {
        // The view has those of all databases of the server.
        const { rowCount } = await client.query(
          `select from pg_stat_progress_create_index
           where datname = current_database() and relid = 'online.busy'::regclass`,
        );
        expect(rowCount).to.equal(1);
      });
      await client.query('insert into online.busy values (3, 3)');
      await older.query('commit');
      await replicas;
    } finally {
      await older.end();
      await replicas.catch(() => undefined);
    }
    const { rows } = await client.query<{ indisvalid: boolean; n: number }>(
      `select indisvalid, (select count(*)::int from online.busy) as n
       from pg_index where indexrelid = 'online.busy_n'::regclass`,
    );
    expect(rows).to.deep.equal([{ indisvalid: true, n: 4 }]);
  });

  it('begin an index anew that could not be built', async () => {
    const set = await writeSet('migration_again', {
      '0001_make.sql': 'create table twice (n int); insert into twice values (1), (1);',
      '0002_unique.concurrently.sql':
        'drop index concurrently if exists twice_n;\n' +
        'create unique index concurrently twice_n on twice (n);',
    });
    const error = await run('again', set).catch((thrown: unknown) => thrown);
    expect(String(error)).to.include('twice_n');
    await client.query('delete from again.twice where ctid = (select min(ctid) from again.twice)');
    await run('again', set);
    const { rows } = await client.query(
      `select indisvalid from pg_index where indexrelid = 'again.twice_n'::regclass`,
    );
    expect(rows).to.deep.equal([{ indisvalid: true }]);
  });

  it('leave nothing half done when one fails, name it, and go on after it is put right', async () => {
    const files = {
      '0001_good.sql': 'create table good (n int);',
      '0002_bad.sql': 'create tabel;',
    };
    const set = await writeSet('migration_failing', files);
    const error = await run('gamma', set).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(Error).with.property('message').that.includes('tabel');
    expect(await tablesOf('gamma')).to.deep.equal(['migration_failing']);

    await writeSet('migration_failing', { '0002_bad.sql': 'create table better (n int);' });
    await run('gamma', set);
    expect(await tablesOf('gamma')).to.deep.equal(['better', 'good', 'migration_failing']);
  });

  it('let an older release start beside a newer one, which has applied more', async () => {
    const first = { '0001_first.sql': 'create table one (n int);' };
    const older = await writeSet('older/migration_release', first);
    const newer = await writeSet('newer/migration_release', {
      ...first,
      '0002_second.sql': 'create table two (n int);',
    });
    const table = 'migration_release';
    await run('delta', { ...newer, table });
    await run('delta', { ...older, table });
    expect(await tablesOf('delta')).to.include.members(['one', 'two']);
  });

  it('refuse a file that comes before one already applied', async () => {
    const set = await writeSet('migration_order', {
      '0002_late.sql': 'create table late (n int);',
    });
    await run('epsilon', set);
    await writeSet('migration_order', { '0001_early.sql': 'create table early (n int);' });
    const error = await run('epsilon', set).catch((thrown: unknown) => thrown);
    expect(String(error)).to.include('0001_early');
  });

  it('do the same in each schema: SQL names none', async () => {
    const set = await writeSet('migration_twice', { '0001_t.sql': 'create table t (n int);' });
    await run('rewards_g1', set);
    await run('rewards_g2', set);
    expect(await tablesOf('rewards_g2')).to.deep.equal(await tablesOf('rewards_g1'));
  });

  it('need no right to create schemas where the schema exists', async () => {
    const set = await writeSet('migration_role', { '0001_t.sql': 'create table t (n int);' });
    const role = `limited_${process.pid}`;
    await client.query(`create role ${role} login password 'x'`);
    await client.query(`create schema zeta authorization ${role}`);
    const url = new URL(database.url);
    [url.username, url.password] = [role, 'x'];
    try {
      await migrate({ settings: { url: url.href }, schema: 'zeta', sets: [set], logger });
      expect(await tablesOf('zeta')).to.deep.equal(['migration_role', 't']);
    } finally {
      await client.query(`drop owned by ${role} cascade`);
      await client.query(`drop role ${role}`);
    }
  });
});

import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OnStop } from '@tributary/runtime/lifecycle';
import { createLogger } from '@tributary/runtime/logger';
import { migrate } from '@tributary/runtime/migrate';
import { inTransaction } from '@tributary/runtime/postgres';
import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { expect } from 'chai';
import pg from 'pg';
import { openGenerations } from './open-generations.ts';
import {
  addGeneration,
  findGeneration,
  flipLive,
  holdLiveGeneration,
  listGenerationEvents,
  listGenerations,
  readLiveGeneration,
  removeGeneration,
  setGenerationStatus,
} from './registry.ts';

const logger = createLogger({ service: 'test', level: 'silent' });

describe('registry of generations', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  const stops: (() => Promise<void> | void)[] = [];
  const onStop: OnStop = (_name, stop) => void stops.push(stop);
  const open = (url: string) =>
    openGenerations({ url, schema: 'generations' }, { logger, onStop, service: 'test' });
  const flip = (from: number, to: number) =>
    inTransaction(pool, (tx) => flipLive(tx, { from, to }));
  const statuses = async () =>
    (await listGenerations(pool)).map(({ number, status }) => `${number} ${status}`);

  before(async () => {
    database = await createDatabase();
    const opened = await Promise.all(Array.from({ length: 4 }, () => open(database.url)));
    pool = opened[0]!;
  });
  after(async () => {
    for (const stop of stops) await stop();
    await database.drop();
  });

  it('begins with the first generation, live, however many processes open it at once', async () => {
    expect(await statuses()).to.deep.equal(['1 live']);
    expect(await readLiveGeneration(pool)).to.equal(1);
    expect((await findGeneration(pool, 1))?.foldVersion, 'the newest').to.equal(2);
  });

  describe('of a deployment that is upgraded', () => {
    let older: TestDatabase;
    beforeEach(async () => {
      older = await createDatabase();
    });
    afterEach(async () => {
      await stops.pop()!();
      await older.drop();
    });

    it('goes on by the first rules, in what an older release made, and in what it makes', async () => {
      const dir = await mkdtemp(join(tmpdir(), 'generations-'));
      await copyFile(
        new URL('../migrations/0001_generations.sql', import.meta.url),
        join(dir, '0001_generations.sql'),
      );
      const set = { dir, table: 'migration_generations' };
      const settings = { url: older.url };
      await migrate({ settings, schema: 'generations', sets: [set], logger });
      await rm(dir, { recursive: true });
      const upgraded = await open(older.url);
      // A process of the release before, which knows of no versions.
      await upgraded.query(`insert into generation (number, status) values (2, 'building')`);
      await addGeneration(upgraded, { number: 3, foldVersion: 2 });
      const versions = (await listGenerations(upgraded)).map(({ foldVersion }) => foldVersion);
      expect(versions).to.deep.equal([1, 1, 2]);
    });

    it('goes on by the first rules where there was no registry, and folds were', async () => {
      const client = new pg.Client({ connectionString: older.url });
      await client.connect();
      await client.query('create schema attribution_g1');
      await client.query('create table attribution_g1.referred_user (tenant_id text)');
      await client.end();
      expect((await findGeneration(await open(older.url), 1))?.foldVersion).to.equal(1);
    });
  });

  it('takes a number once, and swaps to it and back', async () => {
    expect(await addGeneration(pool, { number: 2, foldVersion: 2, note: 'a fixed fold' })).to.equal(
      true,
    );
    expect(await addGeneration(pool, { number: 2, foldVersion: 2 })).to.equal(false);
    expect(await flip(1, 2)).to.equal(true);
    expect(await statuses()).to.deep.equal(['1 kept', '2 live']);
    expect(await flip(1, 2), 'another one is live').to.equal(false);
    expect(await flip(2, 7), 'not registered').to.equal(false);
    const held = (n: number) => inTransaction(pool, (tx) => holdLiveGeneration(tx, n));
    expect([await held(1), await held(2)]).to.deep.equal([false, true]);
    expect(await flip(2, 1)).to.equal(true);
    expect(await statuses()).to.deep.equal(['1 live', '2 kept']);
    expect((await findGeneration(pool, 2))?.note).to.equal('a fixed fold');
  });

  it('keeps a lost generation lost when another takes over, and never swaps to one', async () => {
    expect(await setGenerationStatus(pool, 1, 'lost', 'older than its topic')).to.equal(true);
    expect(await setGenerationStatus(pool, 1, 'lost', 'told again')).to.equal(false);
    expect(await readLiveGeneration(pool)).to.equal(1);
    expect(await flip(1, 2)).to.equal(true);
    expect(await statuses()).to.deep.equal(['1 lost', '2 live']);
    expect(await flip(2, 1)).to.equal(false);
  });

  it('removes any but the live one, and tells what happened', async () => {
    expect(await removeGeneration(pool, 2)).to.equal(false);
    expect(await removeGeneration(pool, 1)).to.equal(true);
    expect(await statuses()).to.deep.equal(['2 live']);
    const lines = (await listGenerationEvents(pool)).map(({ number, line }) => `${number} ${line}`);
    expect(lines).to.deep.equal([
      '1 removed',
      '2 live instead of 1',
      '1 lost: older than its topic',
      '1 live instead of 2',
      '2 live instead of 1',
      '2 registered: a fixed fold',
    ]);
  });

  it('takes over which one was live from where that was kept before', async () => {
    const older = await createDatabase();
    const client = new pg.Client({ connectionString: older.url });
    await client.connect();
    await client.query(
      `create schema issuance; create table issuance.live_generation (generation integer);
       insert into issuance.live_generation values (3)`,
    );
    await client.end();
    const carried = await open(older.url);
    expect(await readLiveGeneration(carried)).to.equal(3);
    expect(await listGenerations(carried)).to.have.nested.property('[0].number', 3);
    await stops.pop()!();
    await older.drop();
  });
});

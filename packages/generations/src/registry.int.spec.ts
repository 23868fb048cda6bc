import type { OnStop } from '@tributary/runtime/lifecycle';
import { createLogger } from '@tributary/runtime/logger';
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
  });

  it('takes a number once, and swaps to it and back', async () => {
    expect(await addGeneration(pool, { number: 2, note: 'a fixed fold' })).to.equal(true);
    expect(await addGeneration(pool, { number: 2 })).to.equal(false);
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

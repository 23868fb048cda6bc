import { createPool } from '@tributary/runtime/postgres';
import { expect } from 'chai';
import type pg from 'pg';
import {
  createProcessorDatabase,
  type ProcessorDatabase,
  silentLogger,
} from '../testing/database.ts';
import { takeTurn } from './take-turn.ts';

describe('turns at Stripe', () => {
  let database: ProcessorDatabase;
  let replicas: pg.Pool[];
  const rates = { accountPerSecond: 4, endpointPerSecond: 1 };
  const hourMs = 3_600_000;

  beforeEach(async () => {
    database = await createProcessorDatabase();
    replicas = [1, 2, 3].map(() =>
      createPool(database.settings, {
        searchPath: ['processor'],
        applicationName: 'test',
        logger: silentLogger,
      }),
    );
  });
  afterEach(async () => {
    await Promise.all(replicas.map((pool) => pool.end()));
    await database.drop();
  });

  /** In the order of the waits, in seconds, rounded as the database's clock goes on meanwhile. */
  async function takeMany(endpoint: (n: number) => string, count: number, mostMs = hourMs) {
    const waits = await Promise.all(
      Array.from({ length: count }, (_, n) => {
        const request = { connectionId: 'con1', endpoint: endpoint(n) };
        return takeTurn(replicas[n % replicas.length]!, request, { rates, mostMs });
      }),
    );
    return waits.filter((wait) => wait !== undefined).sort((a, b) => a - b);
  }

  /** What all processes together have reserved, in requests. */
  async function reserved(endpoint: string, perSecond: number): Promise<number> {
    const { rows } = await database.pool.query<{ seconds: number }>(
      `select extract(epoch from next_at - (select min(next_at) from stripe_turn
         where connection_id = 'first'))::float8 as seconds
       from stripe_turn where connection_id = 'con1' and endpoint = $1`,
      [endpoint],
    );
    return rows[0]!.seconds * perSecond;
  }

  it('are those of all processes together', async () => {
    await database.pool.query(`insert into stripe_turn values ('first', '', now())`);
    await takeMany(() => 'GET customers/{id}', 60);
    // Sixty requests of one a second end a minute after the first of them, whoever made them.
    expect(await reserved('GET customers/{id}', 1)).to.be.at.least(60);
    expect(await reserved('', 4)).to.be.at.least(60);
  });

  it('are apart for each endpoint, within those of the account', async () => {
    await database.pool.query(`insert into stripe_turn values ('first', '', now())`);
    await takeMany((n) => `GET kind${n % 10}`, 40);
    expect(await reserved('', 4)).to.be.at.least(40);
    expect(await reserved('GET kind1', 1)).to.be.within(4, 30);
  });

  it('of one connection are in nobody else’s way', async () => {
    await takeMany(() => 'GET customers/{id}', 60);
    const other = { connectionId: 'con2', endpoint: 'GET customers/{id}' };
    expect(await takeTurn(replicas[0]!, other, { rates, mostMs: hourMs })).to.equal(0);
  });

  it('are not given far ahead, and then not taken either', async () => {
    await database.pool.query(`insert into stripe_turn values ('first', '', now())`);
    const waits = await takeMany(() => 'GET customers/{id}', 60, 30_000);
    expect(waits.length).to.be.within(30, 45);
    expect(Math.max(...waits)).to.be.at.most(31_000);
    // What was refused for the endpoint is not taken of the account.
    expect(await reserved('', 4)).to.be.at.most(waits.length + 8);
  });
});

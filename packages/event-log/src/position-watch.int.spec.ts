import { createLogger } from '@tributary/runtime/logger';
import { migrate } from '@tributary/runtime/migrate';
import { createPool, inTransaction } from '@tributary/runtime/postgres';
import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { expect } from 'chai';
import type pg from 'pg';
import { eventLogMigrations } from './migrations.ts';
import { advancePositions, claimPositions } from './position.ts';
import { createPositionWatch } from './position-watch.ts';

const logger = createLogger({ service: 'test', level: 'silent' });

describe('a watch of positions', () => {
  let database: TestDatabase;
  let pool: pg.Pool;

  beforeEach(async () => {
    database = await createDatabase();
    const settings = { url: database.url, schema: 'fold', poolSize: 4 };
    await migrate({ settings, schema: 'fold', sets: [eventLogMigrations], logger });
    pool = createPool(settings, { applicationName: 'test', logger });
  });
  afterEach(async () => {
    await pool.end();
    await database.drop();
  });

  it('sees that a position is behind where it was, or gone', async () => {
    const known = new Map<string, bigint>();
    const { isIntact, forget } = createPositionWatch({ pool, projection: 'fold', known });
    expect(await isIntact()).to.equal(true);
    await moveTo(10n);
    expect(await isIntact()).to.equal(true);
    await pool.query('update projection_position set next_offset = 9');
    expect(await isIntact()).to.equal(false);
    await pool.query('delete from projection_position');
    expect(await isIntact()).to.equal(false);
    known.set('facts/0', 3n);
    forget();
    expect(await isIntact()).to.equal(true);
  });

  it('misses no commit of this process, however short before the loss it was', async () => {
    const known = new Map([['facts/0', 0n]]);
    const { isIntact } = createPositionWatch({ pool, projection: 'fold', known });
    await moveTo(10n);
    expect(await isIntact()).to.equal(true);
    // Committed, and lost with the server before anybody looked.
    known.set('facts/0', 12n);
    expect(await isIntact()).to.equal(false);
    await inTransaction(pool, async (tx) => expect(await isIntact(tx)).to.equal(false));
  });

  it('takes no commit during its look for a loss', async () => {
    const known = new Map<string, bigint>();
    const { isIntact } = createPositionWatch({ pool, projection: 'fold', known });
    await moveTo(10n);
    const look = isIntact({
      query: (async (text: string, values: unknown[]) => {
        const found = await pool.query(text, values);
        known.set('facts/0', 11n);
        await pool.query('update projection_position set next_offset = 11');
        expect(await isIntact()).to.equal(true);
        return found;
      }) as unknown as pg.PoolClient['query'],
    });
    expect(await look).to.equal(true);
    expect(await isIntact()).to.equal(true);
  });

  async function moveTo(next: bigint): Promise<void> {
    const at = { topic: 'facts', partition: 0 };
    await inTransaction(pool, async (tx) => {
      const from = (await claimPositions(tx, 'fold', [at])).get('facts/0')!;
      const to = { next, digest: Buffer.alloc(32) };
      expect(await advancePositions(tx, 'fold', [{ ...at, from, to }])).to.equal(true);
    });
  }
});

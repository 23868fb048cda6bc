import { createLogger } from '@tributary/runtime/logger';
import { createPool } from '@tributary/runtime/postgres';
import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { expect } from 'chai';
import type pg from 'pg';
import { createStageDatabases, identifyDatabase, UnknownDatabase } from './stage-databases.ts';

const logger = createLogger({ service: 'test', level: 'silent' });

describe('databases of stages', () => {
  let databases: TestDatabase[];
  let pools: pg.Pool[];

  before(async () => {
    databases = [await createDatabase(), await createDatabase()];
    pools = databases.map(({ url }) =>
      createPool({ url, schema: 'public', poolSize: 1 }, { applicationName: 'test', logger }),
    );
    await pools[1]!.query('create schema elsewhere');
  });
  after(async () => {
    await Promise.all(pools.map((pool) => pool.end()));
    await Promise.all(databases.map((database) => database.drop()));
  });

  it('are found by what the server calls them, whatever address they are reached by', async () => {
    const [registry, other] = pools as [pg.Pool, pg.Pool];
    const database = await identifyDatabase(other);
    expect(database).to.not.equal(await identifyDatabase(registry));
    const url = new URL(databases[1]!.url);
    url.searchParams.set('application_name', 'by another address');
    const again = createPool(
      { url: url.href, schema: 'public', poolSize: 1 },
      { applicationName: 'test', logger },
    );
    expect(await identifyDatabase(again)).to.equal(database);
    await again.end();

    const stages = createStageDatabases(registry, [other]);
    expect(await stages.of({ name: 'rewards' })).to.equal(registry);
    expect(await stages.of({ name: 'portal', database })).to.equal(other);
    expect(await stages.listSchemas()).to.include.members(['public', 'elsewhere']);
  });

  it('are asked beside one that does not answer', async () => {
    const [registry, other] = pools as [pg.Pool, pg.Pool];
    const silent = createPool(
      { url: 'postgresql://127.0.0.1:1/nobody', schema: 'public', poolSize: 1 },
      { applicationName: 'test', logger },
    );
    try {
      const stages = createStageDatabases(registry, [silent, other]);
      const database = await identifyDatabase(other);
      expect(await stages.of({ name: 'portal', database })).to.equal(other);
      expect(await stages.listSchemas()).to.include.members(['public', 'elsewhere']);
      const error: unknown = await stages
        .of({ name: 'widget', database: 'away' })
        .catch((e: unknown) => e);
      expect(error).to.be.instanceOf(UnknownDatabase).and.to.include({ retryable: true });
      expect((error as Error).message).to.match(/^widget .*\(away\).* does not answer$/);
    } finally {
      await silent.end();
    }
  });

  it('say which stage is in one whose address is missing', async () => {
    const stages = createStageDatabases(pools[0]!, []);
    const database = await identifyDatabase(pools[1]!);
    const error: unknown = await stages.of({ name: 'portal', database }).catch((e: unknown) => e);
    expect(error).to.be.instanceOf(UnknownDatabase).and.to.include({ retryable: true });
    expect((error as Error).message)
      .to.contain('portal')
      .and.contain(database);
    expect((error as Error).message).to.contain('TRIBUTARY_READ_MODEL_POSTGRES_URL');
  });
});

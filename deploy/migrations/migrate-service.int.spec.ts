import { addGeneration } from '@tributary/generations/registry';
import { createLogger } from '@tributary/runtime/logger';
import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { expect } from 'chai';
import pg from 'pg';
import { createSecrets } from '../local/deployment-secrets.ts';
import { serverVariables } from '../local/server-variables.ts';
import { createPasswords } from '../local/service-passwords.ts';
import { serviceTable } from '../local/service-table.ts';
import {
  deploymentVariables,
  pickVariables,
  receiversOfThisMachine,
} from '../local/service-variables.ts';
import { postgresTable } from '../roles/roles-table.ts';
import { migrateService, type MigratedService } from './migrate-service.ts';

const names = Object.keys(migrateService) as MigratedService[];
const logger = createLogger({ service: 'test', level: 'silent' });

describe('migrations before an upgrade', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let client: pg.Client;

  before(async () => {
    database = await createDatabase();
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
  });
  after(async () => {
    await client?.end();
    await database?.drop();
  });

  const migrateAll = async () => {
    // Together, as in the job: some wait for what another one makes.
    await Promise.all(names.map((name) => migrateService[name](variablesOf(name), logger)));
  };
  const applied = async () => {
    const { rows } = await client.query<{ schema: string; name: string }>(
      `select table_schema as schema, table_name as name from information_schema.tables
       where table_name like 'migration%' order by 1, 2`,
    );
    const counts: Record<string, number> = {};
    for (const { schema, name } of rows) {
      const { rowCount } = await client.query(`select from "${schema}"."${name}"`);
      counts[`${schema}.${name}`] = rowCount ?? 0;
    }
    return counts;
  };

  it('are those of every service that has tables', () => {
    const wanted = serviceTable.filter(
      ({ schema }) => 'TRIBUTARY_POSTGRES_URL' in schema.properties,
    );
    expect(names).to.have.members(wanted.map(({ name }) => name));
  });

  it('make every schema that a service owns, once', async () => {
    await migrateAll();
    const made = await applied();
    const schemas = new Set(Object.keys(made).map((table) => table.split('.')[0]));
    const owned = Object.values(postgresTable).flatMap(({ owns }) => owns);
    expect([...schemas]).to.have.members(owned);
    for (const [table, files] of Object.entries(made)) expect(files, table).to.be.above(0);
    await migrateAll();
    expect(await applied()).to.deep.equal(made);
  });

  it('include every generation that is run', async () => {
    const { rows } = await client.query<{ fold_version: number }>(
      'select fold_version from generations.generation',
    );
    const foldVersion = rows[0]?.fold_version ?? 1;
    await client.query('set search_path to generations');
    await addGeneration(client, { number: 2, foldVersion });
    await client.query('reset search_path');
    await migrateAll();
    expect(Object.keys(await applied())).to.include.members([
      'attribution_g2.migration_attribution',
      'rewards_g2.migration_rewards',
      'widget_r2_g2.migration_read_model',
      'portal_read_r2_g2.migration_read_model',
    ]);
  });

  function variablesOf(name: MigratedService): Record<string, string> {
    const row = serviceTable.find((service) => service.name === name);
    if (row === undefined) throw new Error(`there is no ${name}`);
    const servers = {
      kafkaBrokers: 'nowhere:9092',
      redisUrl: 'redis://nowhere:6379',
      postgresUrl: database.url,
    };
    const values = { ...deployment, ...serverVariables(name, { servers, passwords }) };
    return {
      ...pickVariables(values, row.schema),
      TRIBUTARY_POSTGRES_URL: database.url,
      ...(name === 'portal' && { TRIBUTARY_READ_MODEL_POSTGRES_URL: database.url }),
      ...('port' in row && { TRIBUTARY_PORT: '0' }),
      TRIBUTARY_ADMIN_PORT: '0',
    };
  }
});

const passwords = createPasswords();
const nowhere = 'http://nowhere';
const deployment = deploymentVariables({
  internal: {
    attributionUrl: nowhere,
    rewardsUrl: nowhere,
    webhookDispatcherUrl: nowhere,
    replayUrl: nowhere,
    processorEventsUrl: nowhere,
  },
  receivers: receiversOfThisMachine,
  stripe: { publicUrl: nowhere },
  secrets: createSecrets(),
  places: { replayDir: '/tmp' },
});

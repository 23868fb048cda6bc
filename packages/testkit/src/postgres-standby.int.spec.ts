import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PostgresServer, startPostgres } from '@tributary/native-servers/postgres';
import { expect } from 'chai';
import { queryOnce } from './database.ts';
import { eventually } from './eventually.ts';
import { freePorts } from './free-port.ts';

describe('a standby of Postgres', function () {
  this.timeout(60_000);
  let dir: string;
  let primary: PostgresServer;
  let standby: PostgresServer;

  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'tributary-standby-'));
    const [port = 0, standbyPort = 0] = await freePorts(2);
    // What a URL has to escape.
    const common = { database: 'own', durable: false, password: 'pass/word 1' };
    primary = await startPostgres({ ...common, dir: join(dir, 'primary'), port });
    standby = await startPostgres({
      ...{ ...common, dir: join(dir, 'standby'), port: standbyPort },
      standbyOf: { url: primary.url, name: 'db2' },
    });
  });
  after(async () => {
    await primary?.kill();
    await standby?.kill();
    if (dir) await rm(dir, { recursive: true, force: true });
  });

  const values = async () =>
    (await queryOnce<{ n: number }>(standby.url, 'select n from t order by n')).rows.map(
      ({ n }) => n,
    );

  it('follows its primary under its name, also after a restart, and takes no writes', async () => {
    await queryOnce(primary.url, 'create table t as select 1 as n');
    await standby.restart();
    await queryOnce(primary.url, 'insert into t values (2)');
    await eventually(async () => expect(await values()).to.deep.equal([1, 2]));
    const { rows } = await queryOnce(
      primary.url,
      'select application_name from pg_stat_replication',
    );
    expect(rows).to.deep.equal([{ application_name: 'db2' }]);
    const refusal = await queryOnce(standby.url, 'insert into t values (3)').catch(String);
    expect(refusal).to.match(/read-only transaction/);
  });

  it('takes writes when it is promoted, with all that it got', async () => {
    await primary.kill();
    await queryOnce(standby.url, 'select pg_promote()');
    await queryOnce(standby.url, 'insert into t values (3)');
    expect(await values()).to.deep.equal([1, 2, 3]);
  });
});

import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { getServers } from '@tributary/testkit/servers';
import { expect } from 'chai';
import pg from 'pg';
import { boot, createWidgetFixture, type WidgetFixture } from '../testing/widget-fixture.ts';

describe('widget: a read model in a database of its own', function () {
  this.timeout(120_000);
  let databases: TestDatabase[];
  let fixture: WidgetFixture;

  before(async () => {
    const servers = await getServers();
    databases = [await createDatabase(), await createDatabase()];
    const [registry, readModel] = databases as [TestDatabase, TestDatabase];
    fixture = await createWidgetFixture(
      { ...servers, postgresUrl: readModel.url },
      { registryPostgres: { url: registry.url } },
    );
  });
  after(async () => {
    await fixture?.stop();
    await Promise.all(databases.map((database) => database.drop()));
  });

  it('answers from it; the registry of generations stays where it is', async () => {
    const widget = await fixture.start();
    const first = await widget.session(boot('ada'));
    expect(first.status).to.equal(200);
    await eventually(async () => {
      const again = await widget.session(boot('ada'));
      expect(again.body.invite).to.deep.equal(first.body.invite);
    });
    await widget.stop();
    const [registry, readModel] = await Promise.all(databases.map(({ url }) => schemasOf(url)));
    expect(registry).to.include('generations').and.not.include('widget');
    expect(readModel).to.include('widget').and.not.include('generations');
  });
});

async function schemasOf(connectionString: string): Promise<string[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const { rows } = await client.query<{ name: string }>('select nspname as name from pg_namespace');
  await client.end();
  return rows.map(({ name }) => name);
}

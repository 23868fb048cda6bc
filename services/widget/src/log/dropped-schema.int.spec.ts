import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { getServers } from '@tributary/testkit/servers';
import { expect } from 'chai';
import pg from 'pg';
import { codeOf, disabled, onLog } from '../testing/log-records.ts';
import {
  boot,
  createWidgetFixture,
  type WidgetFixture,
  type WidgetProcess,
} from '../testing/widget-fixture.ts';

describe('widget: a schema that is dropped under it (design 4, promise 10)', function () {
  this.timeout(120_000);
  let database: TestDatabase;
  let fixture: WidgetFixture;
  let widget: WidgetProcess;
  let pool: pg.Pool;

  before(async () => {
    const servers = await getServers();
    database = await createDatabase();
    fixture = await createWidgetFixture({ ...servers, postgresUrl: database.url });
    pool = new pg.Pool({ connectionString: database.url });
    widget = await fixture.start();
  });

  after(async () => {
    await widget?.stop();
    await fixture?.stop();
    await pool?.end();
    await database?.drop();
  });

  it('is unavailable until it is read anew, and says nothing that the log does not', async () => {
    const owner = { tenantId: 'a', campaignId: 'c1', productUserId: 'barred' };
    const code = codeOf('BARRED', owner);
    const issued = await widget.session(boot('ada'));
    await fixture.publish(onLog.code(code), onLog.code(disabled(code, new Date().toISOString())));
    await eventually(
      async () => {
        const { rows } = await pool.query(`select from widget.code where ucc = 'BARRED'`);
        expect(rows).to.have.length(1);
      },
      { deadlineMs: 30_000 },
    );
    const before = (await fixture.codes()).length;

    await pool.query('drop schema widget cascade');
    const path = '/widget/campaign-config?productId=product-a&ucc=BARRED';
    const page = { headers: { origin: 'https://a.example' } };
    const statuses = new Set<number>();
    await eventually(
      async () => {
        const config = await widget.ask(path, page);
        const { status, body } = await widget.session(boot('ada'));
        for (const seen of [config.status, status]) statuses.add(seen);
        expect(status).to.equal(200);
        expect(body.invite).to.eql(issued.body.invite);
      },
      { deadlineMs: 60_000, everyMs: 20 },
    );
    expect([...statuses].filter((status) => status !== 200 && status !== 503)).to.eql([]);
    expect(statuses).to.include(503);
    expect(await fixture.codes()).to.have.length(before);
  });
});

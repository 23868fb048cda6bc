import { eventually } from '@tributary/testkit/eventually';
import { startOwned } from '@tributary/testkit/owned-servers';
import { expect } from 'chai';
import { startTestPortal, type TestPortal } from '../../testing/test-portal.ts';

describe('portal: when its servers are gone', function () {
  this.timeout(120_000);
  let kafka: Awaited<ReturnType<typeof startOwned>>;
  let postgres: Awaited<ReturnType<typeof startOwned>>;
  let portal: TestPortal;
  before(async () => {
    [kafka, postgres] = await Promise.all([startOwned('kafka'), startOwned('postgres')]);
    const servers = { kafkaBrokers: kafka.address, postgresUrl: postgres.address };
    portal = await startTestPortal(servers);
  });
  after(async () => {
    await portal?.stop();
    await Promise.all([kafka?.stop(), postgres?.stop()]);
  });

  const create = (tenantId: string) =>
    portal.call('POST', '/api/tenants', { tenantId, name: 'Acme' });
  const published = (tenantId: string) =>
    portal.catalog.some((record) => record.tenantId === tenantId);
  const readiness = async () => (await fetch(`${portal.adminUrl}/readyz?all`)).status;
  /** The pages are served, so it is sent requests. */
  async function staysReadyWithout(dependency: string, lost: string): Promise<void> {
    const answer = await fetch(`${portal.adminUrl}/readyz`);
    const { checks } = (await answer.json()) as { checks: Record<string, object> };
    expect(answer.status, JSON.stringify(checks)).to.equal(200);
    expect(checks[dependency]).to.include({ ok: false, lost });
  }

  it('takes a change while Kafka is down, and publishes it when Kafka is back', async () => {
    await kafka.kill();
    expect((await create('offline')).status).to.equal(201);
    await eventually(() => staysReadyWithout('kafka', 'changes have no effect until it is back'));
    expect(await readiness()).to.equal(503);
    expect(published('offline')).to.equal(false);
    await kafka.restart();
    await eventually(() => expect(published('offline')).to.equal(true), { deadlineMs: 60_000 });
    await eventually(async () => expect(await readiness()).to.equal(200), {
      deadlineMs: 60_000,
    });
  });

  it('answers 503 while Postgres is down, and goes on by itself when it is back', async () => {
    await postgres.kill();
    const refused = await create('later');
    expect([refused.status, refused.body.code]).to.deep.equal([503, 'SERVICE_UNAVAILABLE']);
    expect(refused.headers.get('retry-after')).to.match(/^\d+$/);
    await eventually(() => staysReadyWithout('postgres', 'the admin API gets 503'));
    expect(await readiness()).to.equal(503);
    await postgres.restart();
    await eventually(async () => expect((await create('later')).status).to.be.oneOf([200, 201]));
    await eventually(() => expect(published('later')).to.equal(true), { deadlineMs: 30_000 });
    await eventually(async () => expect(await readiness()).to.equal(200), {
      deadlineMs: 60_000,
    });
  });
});

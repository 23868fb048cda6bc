import { expect } from 'chai';
import { openSession, timeOfExport } from '../testing/removals.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';

// Two who want one name at once. What both of them do is held up where they would meet.

describe('portal: the name of a tenant that is removed', function () {
  this.timeout(60_000);
  let portal: TestPortal;
  let session: Awaited<ReturnType<typeof openSession>>;
  before(async () => {
    portal = await startTestPortal();
    session = await openSession(portal.postgresUrl);
  });
  after(async () => {
    await session?.end();
    await portal?.stop();
  });
  afterEach(() => session.query('rollback'));

  const create = (tenantId: string, name: string) =>
    portal.call('POST', '/api/tenants', { tenantId, name });
  /** Suspended, with the time of an export that will do. */
  async function leaving(tenantId: string, name: string) {
    expect((await create(tenantId, name)).status).to.equal(201);
    await portal.call('POST', `/api/tenants/${tenantId}/suspend`);
    const exportedUntil = await timeOfExport(portal, tenantId);
    return () => portal.call('POST', `/api/tenants/${tenantId}/remove`, { exportedUntil });
  }

  it('is given to nobody who asks while the removal is under way', async () => {
    const remove = await leaving('first', 'Leaving');
    await session.query('begin');
    await session.query(`select from tenant where tenant_id = 'first' for update`);
    const removal = remove();
    await session.waiting(1, 'transactionid');
    const creation = create('second', 'Leaving');
    const other = await create('third', 'Another');
    await session.waiting(1, 'advisory');
    await session.query('commit');
    expect([(await removal).status, (await creation).status]).to.deep.equal([200, 409]);
    expect(other.status).to.equal(201);
    expect((await portal.call('GET', '/api/tenants/second')).status).to.equal(404);
  });

  it('is of whoever was given it before, and of nobody after', async () => {
    const remove = await leaving('fourth', 'Shared');
    // An id that somebody else may be about to take.
    await session.query('begin');
    await session.query(`
      insert into tenant select (jsonb_populate_record(tenant,
        '{"tenant_id": "fifth", "product_id": "p-5"}')).* from tenant where tenant_id = 'third'`);
    const creation = create('fifth', 'Shared');
    await session.waiting(1, 'transactionid');
    const removal = remove();
    await session.waiting(1, 'advisory');
    await session.query('rollback');
    expect([(await creation).status, (await removal).status]).to.deep.equal([201, 200]);
    expect((await create('sixth', 'Shared')).status).to.equal(409);
    const { body } = await portal.call('GET', '/api/tenants/fifth');
    expect(body).to.include({ name: 'Shared', status: 'active', removedAt: null });
  });

  it('is one tenant when it is asked for twice at once under one id', async () => {
    await session.query('begin');
    await session.query('lock table tenant in share mode');
    const asked = [create('seventh', 'Twice'), create('seventh', 'Twice')];
    // One waits for the table, and the other for the one.
    await session.waiting(1, 'advisory');
    await session.query('commit');
    const answers = await Promise.all(asked);
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 201]);
    expect(answers.filter(({ body }) => 'productSecret' in body)).to.have.length(1);
  });
});

import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { ask, bearer } from '../testing/people.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';

describe('portal: a tenant is removed', function () {
  this.timeout(120_000);
  let portal: TestPortal;
  before(async () => {
    portal = await startTestPortal();
    for (const tenantId of ['gone', 'kept']) {
      await portal.call('POST', '/api/tenants', { tenantId, name: tenantId });
    }
  });
  after(() => portal.stop());

  const remove = () =>
    portal.call('POST', '/api/tenants/gone/remove', { exportedUntil: '2026-11-01T00:00:00Z' });
  const ids = async (search = '') => {
    const { body } = await portal.call('GET', `/api/tenants${search}`);
    return (body['tenants'] as { tenantId: string }[]).map(({ tenantId }) => tenantId);
  };

  it('once it is suspended, for ever, and no other one', async () => {
    const tokens = await Promise.all(
      ['gone', 'kept'].map(async (tenantId) => {
        await portal.call('POST', `/api/tenants/${tenantId}/access-keys`);
        const asked = { name: 'machine', role: 'admin' };
        const { body } = await portal.call('POST', `/api/tenants/${tenantId}/tokens`, asked);
        return bearer(String(body['token']));
      }),
    );
    expect((await remove()).status).to.equal(409);
    await portal.call('POST', '/api/tenants/gone/suspend');
    const first = await remove();
    expect(first.status, JSON.stringify(first.body)).to.equal(200);
    expect((await remove()).body['removedAt']).to.equal(first.body['removedAt']);
    expect((await portal.call('POST', '/api/tenants/gone/resume')).status).to.equal(404);
    expect(await ids()).to.deep.equal(['kept']);
    expect(await ids('?removed=true')).to.have.members(['gone', 'kept']);
    const again = [
      { tenantId: 'gone', name: 'Other' },
      { tenantId: 'other', name: 'gone' },
    ];
    for (const body of again) {
      expect((await portal.call('POST', '/api/tenants', body)).status).to.equal(409);
    }
    const asked = await Promise.all(
      ['gone', 'kept'].map((id, i) =>
        ask(portal, 'GET', `/api/tenants/${id}`, { headers: tokens[i]! }),
      ),
    );
    expect(asked.map(({ status }) => status)).to.deep.equal([401, 200]);
    const { body } = await portal.call('GET', '/api/tenants/gone');
    expect(body['accessKeys']).to.have.nested.property('[0].status', 'revoked');
  });

  it('and still is after its tables were lost', async () => {
    await eventually(async () => expect(await portal.dumpTables()).to.not.match(/^outbox /m));
    const fresh = await startTestPortal({ like: portal });
    const shown = await fresh.call('GET', '/api/tenants/gone');
    const resumed = await fresh.call('POST', '/api/tenants/gone/resume');
    await fresh.stop();
    expect(shown.body['removedAt']).to.be.a('string');
    expect(resumed.status).to.equal(404);
  });
});

import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { ask, bearer } from '../testing/people.ts';
import { onLog, personOf, purchase, receivedAt } from '../testing/scenario.ts';
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

  const remove = (exportedUntil = new Date().toISOString()) =>
    portal.call('POST', '/api/tenants/gone/remove', { exportedUntil, note: 'they left' });
  /** With an export that begins now, once the portal has read all from before it. */
  const removeWithExport = async () => {
    const exportedUntil = new Date(Date.now() + 300).toISOString();
    return eventually(async () => {
      const answer = await remove(exportedUntil);
      expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
      return answer;
    }, slowly);
  };
  const knownUsers = async (tenantId: string) => {
    const { body } = await portal.call('GET', `/api/tenants/${tenantId}/users`);
    return (body['users'] as { userId: string; name: string | null }[])
      .filter(({ name }) => name !== null)
      .map(({ userId }) => userId);
  };
  const publishAs = (tenantId: string, records: Parameters<TestPortal['publish']>[0]) =>
    portal.publish(
      records.map(({ topic, key, value }) => ({
        topic,
        key: key.replace('acme', tenantId),
        value: value && value.replaceAll('"acme"', `"${tenantId}"`),
      })),
    );
  const ids = async (search = '') => {
    const { body } = await portal.call('GET', `/api/tenants${search}`);
    return (body['tenants'] as { tenantId: string }[]).map(({ tenantId }) => tenantId);
  };

  it('not before it is suspended, nor with an export that lacks events or is still to come', async () => {
    await publishAs('gone', [onLog.event(purchase(1)), onLog.person(personOf('ada', known))]);
    await publishAs('kept', [onLog.person(personOf('ada', known))]);
    await eventually(async () => {
      expect(await knownUsers('gone')).to.deep.equal(['ada']);
      expect(await knownUsers('kept')).to.deep.equal(['ada']);
      const { body } = await portal.call('GET', '/api/tenants/gone/events');
      expect(body['events']).to.have.length(1);
    }, slowly);
    const nobody = { exportedUntil: receivedAt(1) };
    const unknown = await portal.call('POST', '/api/tenants/nobody/remove', nobody);
    expect(unknown.status).to.equal(404);
    for (const at of [undefined, receivedAt(1), '2999-01-01T00:00:00.000Z']) {
      expect((await remove(at)).body).to.include({ status: 409, detail: suspendFirst });
    }
    const started = new Date().toISOString();
    await portal.call('POST', '/api/tenants/gone/suspend');
    for (const at of [receivedAt(1), started]) {
      const early = await remove(at);
      expect(early.body).to.include({ status: 409 });
      expect(early.body['detail']).to.match(/^The tenant was suspended or changed at .* or later/);
    }
    const lateAt = new Date(Date.now() + 3_000).toISOString();
    const { value, ...late } = onLog.event(purchase(2));
    const lateValue = value && value.replaceAll(receivedAt(2), lateAt);
    await publishAs('gone', [{ ...late, value: lateValue }]);
    await eventually(async () => {
      const lacking = await remove(lateAt);
      expect(lacking.body).to.include({ status: 409 });
      expect(lacking.body['detail']).to.include(`An event was received at ${lateAt}`);
    }, slowly);
    const later = await remove(new Date(Date.now() + 3_600_000).toISOString());
    expect([later.status, later.body.errors?.[0]?.pointer]).to.deep.equal([422, '/exportedUntil']);
    expect((await portal.call('POST', '/api/tenants/gone/resume')).status).to.equal(200);
  });

  it('once it is suspended, for ever, and no other one', async () => {
    const tokens = await Promise.all(
      ['gone', 'kept'].map(async (tenantId) => {
        await portal.call('POST', `/api/tenants/${tenantId}/access-keys`);
        const asked = { name: 'machine', role: 'admin' };
        const { body } = await portal.call('POST', `/api/tenants/${tenantId}/tokens`, asked);
        return bearer(String(body['token']));
      }),
    );
    const url = 'https://hooks.example.com/rewards';
    const { status } = await portal.call('PUT', '/api/tenants/gone/webhook', { url });
    expect(status).to.equal(200);
    await portal.call('POST', '/api/tenants/gone/suspend');
    const first = await removeWithExport();
    for (const at of [undefined, receivedAt(1), '2999-01-01T00:00:00.000Z']) {
      const again = await remove(at);
      expect(again.status, JSON.stringify(again.body)).to.equal(200);
      expect(again.body['removedAt']).to.equal(first.body['removedAt']);
    }
    expect((await portal.call('POST', '/api/tenants/gone/resume')).status).to.equal(404);
    const audit = await portal.call('GET', '/api/audit?limit=50');
    expect(JSON.stringify(audit.body)).to.include('"note":"they left"');
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
    expect(body['webhook']).to.include({ status: 'disabled', reason: 'the tenant is removed' });
  });

  it('with all that is known of its users, also what comes later, and of no other tenant', async () => {
    await eventually(async () => {
      expect((await remove()).body).to.include({ peopleLeft: 0 });
      expect(await portal.tombstones()).to.include('gone:ada');
    }, slowly);
    await publishAs('gone', [onLog.person(personOf('late', known))]);
    await eventually(async () => {
      expect(await portal.tombstones()).to.include('gone:late');
      expect((await remove()).body).to.include({ peopleLeft: 0 });
    }, slowly);
    expect(await knownUsers('kept')).to.deep.equal(['ada']);
    expect((await portal.tombstones()).filter((key) => key.startsWith('kept:'))).to.deep.equal([]);
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

const known = { name: 'Ada', email: 'ada@example.org' };
const suspendFirst = 'Suspend the tenant before you remove it.';
const slowly = { deadlineMs: 60_000 };

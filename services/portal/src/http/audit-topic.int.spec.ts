import { auditCodec, type AuditRecord } from '@tributary/contracts/audit-record';
import { attackMade } from '@tributary/testkit/attacks';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import pg from 'pg';
import { signIn, signUp } from '../testing/people.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';

describe('portal: the audit list as a topic', () => {
  let portal: TestPortal;
  before(async () => {
    portal = await startTestPortal({ auditTopic: true });
    for (const tenantId of ['acme', 'other']) {
      await portal.call('POST', '/api/tenants', { name: `${tenantId} canary`, tenantId });
    }
  });
  after(() => portal.stop());

  const records = async (key: string): Promise<AuditRecord[]> => {
    const texts = await portal.textsOf('audit');
    return texts
      .filter((one) => one.key === key)
      .map(({ value }) => {
        const decoded = auditCodec.decode(Buffer.from(value));
        if (decoded.outcome !== 'record') throw new Error(JSON.stringify(decoded));
        return decoded.value;
      });
  };
  const entryIds = async (path: string) => {
    const { body } = await portal.call('GET', `${path}?limit=200`);
    return (body['entries'] as { entryId: string }[]).map(({ entryId }) => entryId);
  };

  it('has what the list has, each once and in order, by tenant', async () => {
    const owner = await signUp(portal, {
      ...{ email: 'canary@example.com', tenantId: 'acme', role: 'owner' },
    });
    const page = await signIn(portal, owner);
    for (let hours = 1; hours <= 5; hours += 1) {
      const body = { legacyRepeatHours: hours };
      await page.call('PUT', '/api/tenants/acme/legacy-repeat-hours', body);
    }
    await page.call('POST', '/api/tenants/acme/codes', { note: 'canary' });
    await portal.call('GET', '/api/tenants/acme/people');
    const listed = await entryIds('/api/tenants/acme/audit');
    const found = await eventually(async () => {
      const read = await records('acme');
      expect(read.map(({ entryId }) => entryId)).to.have.members(listed);
      return read;
    });
    const changes = found.filter(({ action }) => action === 'setLegacyRepeatHours');
    expect(changes.map(({ asked }) => asked)).to.deep.equal(
      [1, 2, 3, 4, 5].map((legacyRepeatHours) => ({ legacyRepeatHours })),
    );
    expect(changes[1]).to.deep.include({
      ...{ actor: `account:${owner.accountId}`, status: 200, outcome: 'done' },
      ...{ before: 1, after: 2 },
    });
  });

  it('has no name and no e-mail', async () => {
    const all = JSON.stringify(await portal.textsOf('audit'));
    expect(all).to.contain('personal');
    expect(all).not.to.contain('canary');
    attackMade('personal data', 'the topic of the audit list');
  });

  it('has what was begun and never ended, once somebody has found that', async () => {
    const client = new pg.Client(portal.postgresUrl);
    await client.connect();
    const entryId = '0b7b9f5e-3a3c-4a3e-9a5f-0d6a7c1f2e11';
    const entry = {
      ...{ actor: 'operator', action: 'setWebhook', tenantId: 'other', target: {} },
      ...{ address: '192.0.2.1', requestId: 'r1' },
    };
    await client.query(
      `insert into portal.audit_open (entry_id, at, entry) values ($1, now() - interval '1 hour', $2)`,
      [entryId, JSON.stringify(entry)],
    );
    await client.end();
    await entryIds('/api/tenants/other/audit');
    await entryIds('/api/tenants/other/audit');
    const found = await eventually(async () => {
      const read = (await records('other')).filter((one) => one.entryId === entryId);
      expect(read).to.have.length(1);
      return read[0];
    });
    expect(found).to.deep.include({ outcome: 'unknown', status: null });
  });
});

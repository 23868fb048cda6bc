import { auditCodec, type AuditRecord } from '@tributary/contracts/audit-record';
import { silentLogger } from '@tributary/event-log/testing';
import { withoutCopies } from '@tributary/event-log/testing/read-records';
import { attackMade } from '@tributary/testkit/attacks';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import pg from 'pg';
import { signIn, signUp } from '../testing/people.ts';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';

describe('portal: the audit list as a topic', () => {
  const logged: string[] = [];
  let portal: TestPortal;
  before(async () => {
    const error = (line: string) => void logged.push(line);
    portal = await startTestPortal({ auditTopic: true, logger: { ...silentLogger, error } });
    for (const tenantId of ['acme', 'other']) {
      await portal.call('POST', '/api/tenants', { name: `${tenantId} canary`, tenantId });
    }
  });
  after(() => portal.stop());

  const records = async (key: string): Promise<AuditRecord[]> => {
    const texts = withoutCopies(await portal.textsOf('audit'));
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

  const run = async (sql: string, values: readonly unknown[] = []) => {
    const client = new pg.Client(portal.postgresUrl);
    await client.connect();
    const { rows } = await client.query<{ n: number }>(sql, [...values]);
    await client.end();
    return rows;
  };
  const openEntries = async () =>
    (await run('select count(*)::int as n from portal.audit_open'))[0]?.n;
  const abandon = (entryId: string, entry: object, hours: number) =>
    run(
      `insert into portal.audit_open (entry_id, at, entry)
       values ($1, now() - make_interval(hours => $3), $2)`,
      [entryId, JSON.stringify(entry), hours],
    );

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
    const code = { productUserId: 'canary-user', campaignId: 'none' };
    await page.call('POST', '/api/tenants/acme/codes', code);
    await portal.call('GET', '/api/tenants/acme/people');
    const listed = await entryIds('/api/tenants/acme/audit');
    const found = await eventually(async () => {
      const read = await records(':audit:acme');
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

  it('has no name, no e-mail, no address and no id of a user', async () => {
    const all = JSON.stringify(await portal.textsOf('audit'));
    expect(all).to.contain('personal');
    expect(all).not.to.contain('canary');
    expect(all).not.to.contain('127.0.0.1');
    expect(all).not.to.contain('address');
    attackMade('personal data', 'the topic of the audit list');
  });

  it('has keys of its own, so that nothing else waits for it', async () => {
    const keysOf = async (topic: 'audit' | 'catalog') =>
      new Set((await portal.textsOf(topic)).map(({ key }) => key));
    const catalog = await keysOf('catalog');
    expect([...catalog]).to.include('acme');
    for (const key of await keysOf('audit')) {
      expect(key).to.match(/^:/);
      expect(catalog.has(key)).to.equal(false);
    }
  });

  it('has a path that names no tenant at all, and is read on', async () => {
    for (const path of ['a:b', 'a%00b', 'x'.repeat(65), '%ed%a0%80', 'a%20b']) {
      await portal.call('PUT', `/api/tenants/${path}/legacy-repeat-hours`, {
        legacyRepeatHours: 1,
      });
    }
    const { status, body } = await portal.call('GET', '/api/audit?action=setLegacyRepeatHours');
    expect(status).to.equal(200);
    const tried = (body['entries'] as { tenantId: string | null; target: object }[]).filter(
      ({ tenantId }) => tenantId === null,
    );
    expect(tried.map(({ target }) => target)).to.deep.include.members([
      { tenantId: 'a:b' },
      { tenantId: 'x'.repeat(65) },
      { tenantId: 'a\ufffdb' },
    ]);
    expect(await openEntries()).to.equal(0);
  });

  it('goes on past what was begun and cannot be written', async () => {
    const entry = (actor: string, tenantId: string) => ({
      ...{ actor, action: 'setWebhook', tenantId, target: {}, address: '192.0.2.1' },
    });
    await abandon('00000000-0000-4000-8000-000000000001', entry('', 'other'), 3);
    await abandon('00000000-0000-4000-8000-000000000002', entry('operator', 'a:b'), 2);
    await abandon('00000000-0000-4000-8000-000000000003', entry('operator', 'other'), 1);
    const { status, body } = await portal.call('GET', '/api/audit?action=setWebhook');
    expect(status).to.equal(200);
    const entries = body['entries'] as { entryId: string; tenantId: string | null }[];
    expect(entries.map(({ entryId, tenantId }) => [entryId.slice(-1), tenantId])).to.deep.equal([
      ['3', 'other'],
      ['2', null],
    ]);
    expect(logged).to.include('an abandoned entry of the audit list cannot be ended');
    await run('delete from portal.audit_open');
  });

  it('has what was begun and never ended, once somebody has found that', async () => {
    const entryId = '0b7b9f5e-3a3c-4a3e-9a5f-0d6a7c1f2e11';
    const entry = {
      ...{ actor: 'operator', action: 'setWebhook', tenantId: 'other', target: {} },
      ...{ address: '192.0.2.1', requestId: 'r1' },
    };
    await abandon(entryId, entry, 1);
    await entryIds('/api/tenants/other/audit');
    await entryIds('/api/tenants/other/audit');
    const found = await eventually(async () => {
      const read = (await records(':audit:other')).filter((one) => one.entryId === entryId);
      expect(read).to.have.length(1);
      return read[0];
    });
    expect(found).to.deep.include({ outcome: 'unknown', status: null });
  });
});

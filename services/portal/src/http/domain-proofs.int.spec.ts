import { type DnsServer, startDnsServer } from '@tributary/guarded-connections/testing/dns-server';
import { eventually } from '@tributary/testkit/eventually';
import { everyTestAttacks } from '@tributary/testkit/attacks';
import { expect } from 'chai';
import pg from 'pg';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';

const hour = 3_600_000;

describe('portal: domains belong to who proves them', () => {
  everyTestAttacks('domains');
  let portal: TestPortal;
  let dns: DnsServer;
  /** TXT records by name. */
  const records = new Map<string, string[]>();

  before(async () => {
    dns = await startDnsServer();
    dns.answerWith((name, _turn, type) => {
      const texts = type === 'TXT' ? records.get(name) : undefined;
      return texts ? { addresses: [], texts } : 'no-such-name';
    });
    portal = await startTestPortal({
      domains: { dnsServers: [dns.address], recheckEveryMs: hour, graceMs: 2 * hour },
    });
    for (const tenantId of ['acme', 'rival']) {
      await portal.call('POST', '/api/tenants', { tenantId, name: tenantId });
    }
  });
  after(async () => {
    await portal.stop();
    await dns.stop();
  });

  const at = (tenantId: string) => `/api/tenants/${tenantId}/domains`;
  const add = async (domain: string, tenantId = 'acme') =>
    (await portal.call('POST', at(tenantId), { domain })).body as unknown as Registered;
  const prove = (domain: string, tenantId = 'acme', how = 'prove') =>
    portal.call('POST', `${at(tenantId)}/${encodeURIComponent(domain)}/${how}`);
  const publish = ({ challenge }: Registered) => {
    const { txtName, value } = challenge!;
    records.set(txtName!, [...(records.get(txtName!) ?? []), value]);
  };
  const proofOf = async (domain: string, tenantId = 'acme') => {
    const { domains } = (await portal.call('GET', at(tenantId))).body as { domains: Registered[] };
    return domains.find((one) => one.domain === domain)?.proof;
  };
  const onLog = (domain: string) =>
    portal.catalog.flatMap((record) =>
      record.entity === 'domain' && record.domain === domain
        ? [`${record.tenantId} ${record.version} ${record.proof}`]
        : [],
    );

  it('says what to put where, and proves a domain once it is there', async () => {
    const registered = await add('shop.acme-shops.com');
    expect(registered.proof).to.equal('none');
    expect(registered.challenge).to.deep.include({
      txtName: '_tributary-challenge.shop.acme-shops.com',
    });
    const missing = await prove('shop.acme-shops.com');
    expect([missing.status, missing.body.code]).to.deep.equal([409, 'CONFLICT']);
    expect(missing.body['detail']).to.contain(
      '_tributary-challenge.shop.acme-shops.com: no such name',
    );
    publish(registered);
    const proved = await prove('shop.acme-shops.com');
    expect([proved.status, proved.body['proof']]).to.deep.equal([200, 'dns']);
    expect((await prove('shop.acme-shops.com')).status).to.equal(200);
    await eventually(() =>
      expect(onLog('shop.acme-shops.com')).to.deep.equal(['acme 1 none', 'acme 2 dns']),
    );
  });

  it('is the first one’s that proves it, whoever registered it first; who that is nobody is told', async () => {
    const acme = await add('*.both.acme-shops.com');
    const rival = await add('www.both.acme-shops.com', 'rival');
    expect(rival.proof).to.equal('none');
    publish(rival);
    expect((await prove('www.both.acme-shops.com', 'rival')).status).to.equal(200);
    publish(acme);
    const late = await prove('*.both.acme-shops.com');
    expect(late.status).to.equal(409);
    expect(late.body['detail']).to.contain('Another tenant');
    expect(JSON.stringify(late.body)).to.not.contain('rival');
    expect(await proofOf('*.both.acme-shops.com')).to.equal('none');

    const taken = await prove('*.both.acme-shops.com', 'acme', 'take-over');
    expect([taken.status, taken.body['proof']]).to.deep.equal([200, 'dns']);
    expect(await proofOf('www.both.acme-shops.com', 'rival')).to.equal('none');
    expect((await prove('www.both.acme-shops.com', 'rival')).status).to.equal(409);
  });

  it('is not brought back by a take-over when it is removed at the same time', async () => {
    const held = await add('gone.acme-shops.com', 'rival');
    publish(held);
    await prove('gone.acme-shops.com', 'rival');
    publish(await add('gone.acme-shops.com'));
    const client = new pg.Client({ connectionString: portal.postgresUrl });
    await client.connect();
    try {
      // Both come while somebody else changes the tenant; the removal was first.
      await client.query('begin');
      await client.query(`select from portal.tenant where tenant_id = 'rival' for no key update`);
      const waiting = (count: number) =>
        eventually(async () => {
          const { rowCount } = await client.query(
            `select from pg_stat_activity
             where datname = current_database() and wait_event_type = 'Lock'`,
          );
          expect(rowCount).to.be.at.least(count);
        });
      const removal = portal.call('DELETE', `${at('rival')}/gone.acme-shops.com`);
      await waiting(1);
      const takeOver = prove('gone.acme-shops.com', 'acme', 'take-over');
      await waiting(2);
      await client.query('commit');
      expect((await removal).status).to.be.oneOf([200, 204]);
      expect((await takeOver).status).to.equal(200);
    } finally {
      await client.end();
    }
    expect(await proofOf('gone.acme-shops.com', 'rival')).to.equal(undefined);
    expect(await proofOf('gone.acme-shops.com')).to.equal('dns');
  });

  it('lets one of two win that come at once', async () => {
    for (const tenantId of ['acme', 'rival']) publish(await add('race.acme-shops.com', tenantId));
    const answers = await Promise.all([
      prove('race.acme-shops.com'),
      prove('race.acme-shops.com', 'rival'),
    ]);
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 409]);
  });

  it('is not taken over without a proof, nor proved without being registered', async () => {
    await add('shop.acme-shops.com', 'rival');
    expect((await prove('shop.acme-shops.com', 'rival', 'take-over')).status).to.equal(409);
    expect(await proofOf('shop.acme-shops.com')).to.equal('dns');
    for (const [domain, tenantId] of [
      ['never.acme-shops.com', 'acme'],
      ['no domain', 'acme'],
      ['shop.acme-shops.com', 'nobody'],
    ] as const) {
      expect((await prove(domain, tenantId)).status, domain).to.equal(404);
    }
  });

  it('refuses public suffixes, which are nobody’s', async () => {
    for (const domain of ['co.uk', '*.co.uk', 'github.io', '*.github.io:8443', 'com']) {
      const { status, body } = await portal.call('POST', at('acme'), { domain });
      expect([status, body.errors?.[0]?.pointer], domain).to.deep.equal([422, '/domain']);
    }
    for (const domain of ['acme.co.uk', 'acme.github.io']) {
      expect((await add(domain)).proof, domain).to.equal('none');
    }
  });

  it('asks for no proof of this machine in the sandbox', async () => {
    for (const domain of [
      'localhost:3000',
      '*.app.localhost',
      'shop.example',
      '127.0.0.1:8080',
      '[::1]:3000',
    ]) {
      expect(await add(domain), domain).to.include({ proof: 'not-needed', challenge: null });
      expect((await prove(domain)).status, domain).to.equal(200);
    }
  });

  it('is lost when its proof is missing for longer than the grace, and free to others then', async () => {
    portal.clock.set('2026-11-20T10:00:00.000Z');
    publish(await add('kept.acme-shops.com'));
    await prove('kept.acme-shops.com');
    records.delete('_tributary-challenge.kept.acme-shops.com');
    portal.clock.set('2026-11-20T11:30:00.000Z');
    await eventually(async () => {
      const { body } = await portal.call('GET', at('acme'));
      const row = (body['domains'] as Registered[]).find(
        (one) => one.domain === 'kept.acme-shops.com',
      );
      expect(row).to.include({ proof: 'dns', failingSince: '2026-11-20T11:30:00.000Z' });
    });
    publish(await add('kept.acme-shops.com', 'rival'));
    expect((await prove('kept.acme-shops.com', 'rival')).status).to.equal(409);
    portal.clock.set('2026-11-20T14:00:00.000Z');
    await eventually(async () => expect(await proofOf('kept.acme-shops.com')).to.equal('none'));
    expect((await prove('kept.acme-shops.com', 'rival')).status).to.equal(200);
    await eventually(async () => {
      const metrics = await (await fetch(`${portal.adminUrl}/metrics`)).text();
      expect(metrics).to.match(/tributary_portal_domain_checks_total\{result="lost"[^}]*\} [1-9]/);
    });
  });
});

type Registered = {
  domain: string;
  proof: string;
  failingSince: string | null;
  challenge: { value: string; txtName: string | null; fileUrl: string | null } | null;
};

import { createDatabase, queryOnce } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { uniquePrefix } from '@tributary/testkit/topics';
import { expect } from 'chai';
import {
  type ProcessorListener,
  startProcessorListener,
} from '../../testing/processor-listener.ts';
import { startTestPortal, type TestPortal } from '../../testing/test-portal.ts';

const campaign = (credits: string) => ({
  name: 'Spring',
  status: 'running',
  landingUrl: 'https://example.com/',
  rules: [
    {
      ruleId: 'r1',
      trigger: 'purchase-created',
      recipient: 'referrer',
      effect: { kind: 'fixed', credits },
    },
  ],
});

/** design 4, promise 10: all but accounts can be dropped or restored from an older backup. */
describe('portal: when its tables are older than what it published', function () {
  this.timeout(180_000);
  let portal: TestPortal;
  let processor: ProcessorListener;
  const apiKeys = ['rk_test_0123456789', 'rk_test_9876543210'];
  const started: TestPortal[] = [];
  before(async () => {
    processor = await startProcessorListener();
    portal = await startTestPortal({ processorUrl: processor.url });
    started.push(portal);
    for (const tenantId of ['acme', 'other']) {
      await does('POST', '/api/tenants', { tenantId, name: tenantId });
      await does('PUT', `/api/tenants/${tenantId}/campaigns/spring`, campaign('10'));
    }
    await does('PUT', '/api/tenants/acme/campaigns/spring', campaign('20'));
    await does('PUT', '/api/tenants/acme/attribution-mode', { attributionMode: 'first-code' });
    await does('PUT', '/api/tenants/acme/default-campaign', { campaignId: 'spring' });
    await does('POST', '/api/tenants/acme/access-keys', {});
    const { accessKeyId } = await does('POST', '/api/tenants/acme/access-keys', {});
    await does('DELETE', `/api/tenants/acme/access-keys/${accessKeyId as string}`);
    await does('POST', '/api/tenants/acme/product-secret', {});
    const webhook = { url: 'https://example.com/hook', username: 'u', password: 'p'.repeat(20) };
    await does('PUT', '/api/tenants/acme/webhook', webhook);
    await does('POST', '/api/tenants/acme/webhook/rotate', { overlapHours: 48 });
    await does('POST', '/api/tenants/acme/webhook/pause', { by: 'ops', reason: 'moving' });
    await does('POST', '/api/tenants/acme/codes', { productUserId: 'ada' });
    await does('POST', '/api/tenants/acme/codes', { productUserId: 'bob', ucc: 'SUMMER' });
    await does('POST', '/api/tenants/acme/codes/disable', { ucc: 'SUMMER' });
    await does('POST', '/api/tenants/acme/codes', { productUserId: 'bob', ucc: 'WINTER' });
    await does('POST', '/api/tenants/acme/codes/disable', { ucc: 'WINTER' });
    await does('POST', '/api/tenants/acme/codes/enable', { ucc: 'WINTER' });
    const connections = '/api/tenants/acme/processor-connections';
    const [kept, left] = [
      await does('POST', connections, { apiKey: apiKeys[0], taxPolicy: 'net' }),
      await does('POST', connections, { apiKey: apiKeys[1] }),
    ].map(({ connectionId }) => `${connections}/${connectionId as string}`);
    await does('POST', `${kept}/rotate`, { overlapHours: 48, by: 'ops' });
    await does('POST', `${left}/disconnect`, { by: 'ops', reason: 'they left' });
    await does('POST', '/api/tenants/acme/people/erase', { userId: 'gone' });
    await does('POST', '/api/tenants/acme/domains', { domain: '*.acme.example' });
    await does('POST', '/api/tenants/acme/domains', { domain: 'old.example' });
    await does('DELETE', '/api/tenants/acme/domains/old.example');
    await does('PUT', '/api/tenants/acme/widget', { referrerName: 'none' });
    await does('PUT', '/api/tenants/acme/widget', { theme: { cornerRadius: 4 } });
    await published(portal);
  });
  after(async () => {
    for (const one of started.reverse()) await one.stop();
    await processor.stop();
  });

  async function does(method: string, path: string, body?: unknown, at = portal) {
    const answer = await at.call(method, path, body);
    expect(answer.status, `${path}: ${JSON.stringify(answer.body)}`).to.be.below(300);
    return answer.body;
  }

  async function another(): Promise<TestPortal> {
    const made = await startTestPortal({ like: portal, processorUrl: processor.url });
    started.push(made);
    return made;
  }

  const tables =
    /^(catalog_ahead|tenant|access_key|product_secret|campaign_revision|webhook_endpoint|processor_connection|code|erasure|registered_domain|widget_settings) /;
  async function catalogOf(at: TestPortal): Promise<string[]> {
    return (await at.dumpTables())
      .split('\n')
      .filter((line) => tables.test(line))
      .sort();
  }

  async function lines(at: TestPortal, table: string): Promise<string> {
    return (await catalogOf(at)).filter((line) => line.startsWith(`${table} `)).join('\n');
  }

  async function published(at: TestPortal): Promise<void> {
    await eventually(async () => expect(await at.dumpTables()).to.not.match(/^outbox /m));
  }

  const inTables = (url: string, sql: string) =>
    queryOnce({ connectionString: url, options: '-c search_path=portal' }, sql);

  it('has all of them again from the log alone, and goes on from there', async () => {
    const fresh = await another();
    expect(await catalogOf(fresh)).to.deep.equal(await catalogOf(portal));
    const put = await does('PUT', '/api/tenants/acme/campaigns/spring', campaign('30'), fresh);
    expect(put['revision']).to.equal(3);
    const connections = '/api/tenants/acme/processor-connections';
    const again = await fresh.call('POST', connections, { apiKey: apiKeys[0] });
    expect(again.status, 'a connection that is known by its key').to.equal(200);
    const id = String(again.body['connectionId']);
    const byWhom = { by: 'ops', reason: 'they left too' };
    await does('POST', `${connections}/${id}/disconnect`, byWhom, fresh);
    await published(fresh);
    await eventually(() => {
      const versions = fresh.catalog.flatMap((record) =>
        record.entity === 'processor-connection' && record.connectionId === id
          ? record.version
          : [],
      );
      expect(versions).to.deep.equal([1, 2, 3]);
    });
    await does('POST', '/api/tenants/acme/domains', { domain: 'old.example' }, fresh);
    await does('PUT', '/api/tenants/acme/widget', { referrerName: 'initial' }, fresh);
    await published(fresh);
    expect(await lines(fresh, 'registered_domain')).to.match(/"old\.example".*"version": 3/);
    expect(await lines(fresh, 'widget_settings')).to.match(/"version": 3.*"cornerRadius": ?4/);
    const taken = { productUserId: 'eve', ucc: 'SUMMER' };
    expect((await fresh.call('POST', '/api/tenants/acme/codes', taken)).status).to.equal(409);
    const created = await fresh.call('POST', '/api/tenants', { tenantId: 'acme', name: 'Mine' });
    expect(created.status).to.equal(409);
  });

  it('has the same whatever the order in which processes sent it', async () => {
    const topics = ['catalog', 'codes'] as const;
    const records = await Promise.all(
      topics.map(async (topic) =>
        (await portal.textsOf(topic)).map((record) => ({ topic, ...record })),
      ),
    );
    const elsewhere = { ...portal, topics: { ...portal.topics, prefix: uniquePrefix() } };
    const backwards = await startTestPortal({ like: elsewhere });
    started.push(backwards);
    await backwards.publish(records.flat().reverse());
    await eventually(async () =>
      expect(await catalogOf(backwards)).to.deep.equal(await catalogOf(portal)),
    );
    expect(await lines(backwards, 'catalog_ahead')).to.equal('');
  });

  it('has the same when the versions of a thing come before its tenant, in any order', async () => {
    const records = await portal.textsOf('catalog');
    const versionOf = (text: string) => (JSON.parse(text) as { version: number }).version;
    const domain = records.filter(({ value }) => value.includes('"domain":"old.example"'));
    expect(domain.map(({ value }) => versionOf(value))).to.deep.equal([1, 2, 3]);
    const [first, second, third] = domain;
    const others = records.filter((record) => !domain.includes(record));
    const elsewhere = { ...portal, topics: { ...portal.topics, prefix: uniquePrefix() } };
    const shuffled = await startTestPortal({ like: elsewhere });
    started.push(shuffled);
    const ofDomain = async (at: TestPortal) =>
      (await lines(at, 'registered_domain')).split('\n').filter((l) => l.includes('old.example'));
    await shuffled.publish(
      [first!, third!, second!].map((record) => ({ topic: 'catalog' as const, ...record })),
    );
    await eventually(async () =>
      expect((await lines(shuffled, 'catalog_ahead')).split('\n')).to.have.length(3),
    );
    await shuffled.publish(others.map((record) => ({ topic: 'catalog' as const, ...record })));
    await eventually(async () =>
      expect(await ofDomain(shuffled)).to.deep.equal(await ofDomain(portal)),
    );
  });

  it('has what came after a backup, too', async () => {
    const database = await createDatabase();
    const start = () => startTestPortal({ like: portal, postgresUrl: database.url });
    const first = await start();
    const complete = await catalogOf(first);
    await first.stop();
    // As from a backup that was made before most of it: rows and positions are of the same moment.
    await inTables(
      database.url,
      `delete from code; delete from erasure; delete from webhook_endpoint;
       delete from processor_connection where status = 'disconnected';
       update processor_connection set version = 0, status = 'opening', livemode = null,
         connected_at = null, endpoint_id = null, endpoint_sealed_secret = null,
         previous_endpoint_id = null, previous_sealed_secret = null, previous_until = null,
         held_by = gen_random_uuid(), held_until = now() + interval '1 minute';
       delete from campaign_revision where revision > 1;
       delete from registered_domain where status = 'registered';
       update registered_domain set status = 'registered', version = 1;
       update widget_settings set version = 1, settings = '{}';
       update tenant set attribution_mode = 'event-code', version = 1;
       update access_key set status = 'active', revoked_at = null, version = 1;
       delete from projection_position where projection = 'catalog-recovery'`,
    );
    const restored = await start();
    const found = await catalogOf(restored);
    await restored.stop();
    await database.drop();
    expect(found).to.deep.equal(complete);
  });

  it('learns nothing it cannot have published, and is held up by none of it', async () => {
    const at = '2026-03-01T00:00:00.000Z';
    const common = { schemaVersion: 3, version: 1, publishedAt: at };
    const odd = [
      { ...common, entity: 'tenant', tenantId: 'no good name', status: 'active' },
      { ...common, entity: 'product-secret', tenantId: 'nobody', sealedSecret: 'v1.k.a.b.c' },
    ].map((record) => ({ name: 'x', productId: 'p', defaultCampaignId: null, ...record }));
    await portal.publish(
      odd.map((record) => ({
        topic: 'catalog',
        key: record.tenantId,
        value: JSON.stringify(record),
      })),
    );
    const complete = await catalogOf(portal);
    await does('POST', '/api/tenants', { tenantId: 'later', name: 'Later' });
    await published(portal);
    const fresh = await another();
    const found = await catalogOf(fresh);
    expect(found.join('\n')).to.contain('"later"').and.not.contain('no good name');
    expect(found).to.include.members(complete.filter((line) => !line.includes('"acme"')));
  });
});

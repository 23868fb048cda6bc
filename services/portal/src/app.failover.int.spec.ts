import { type CatalogRecord, catalogCodec } from '@tributary/contracts/catalog-record';
import { codeCodec, type CodeRecord } from '@tributary/contracts/code-record';
import type { Codec } from '@tributary/contracts/record';
import { recordKey, type Topic, topicName } from '@tributary/contracts/topics';
import { startPatientAppender } from '@tributary/event-log/testing/patient-appender';
import { scanTopic } from '@tributary/event-log/scan-topic';
import { silentLogger } from '@tributary/event-log/testing';
import { queryOnce } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { startLaggingStandby } from '@tributary/testkit/lagging-standby';
import { startOwned } from '@tributary/testkit/owned-servers';
import { expect } from 'chai';
import { createPortalDeployment, type PortalProcess } from './testing/portal-process.ts';

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

/**
 * Two portals keep running while the Postgres below them becomes an older one. What they answered
 * since is on the log, and whoever reads it keeps the first record of a version: none may be given
 * twice.
 */
describe('portal: when a standby that lags takes over', function () {
  this.timeout(180_000);
  let postgres: Awaited<ReturnType<typeof startOwned>>;
  let deployment: Awaited<ReturnType<typeof createPortalDeployment>>;
  let one: PortalProcess;
  let two: PortalProcess;

  before(async () => {
    postgres = await startOwned('postgres');
    deployment = await createPortalDeployment({
      token: 'internal-token-of-a-spec',
      postgresUrl: postgres.address,
    });
    [one, two] = [await deployment.start(), await deployment.start()];
    await does(one, 'POST', '/api/tenants', { tenantId: 'acme', name: 'Acme' });
    await does(one, 'PUT', `${acme}/campaigns/spring`, campaign('60'));
  });
  after(async () => {
    await deployment?.end();
    await postgres?.stop();
  });

  const acme = '/api/tenants/acme';

  async function does(at: PortalProcess, method: string, path: string, body?: unknown) {
    const answer = await at.call(method, path, body);
    expect(answer.status, `${path}: ${JSON.stringify(answer.body)}`).to.be.below(300);
    return answer.body;
  }

  /** Until it is accepted, as a client does that was told to come again. */
  async function comesThrough(at: PortalProcess, method: string, path: string, body?: unknown) {
    return eventually(() => does(at, method, path, body), { deadlineMs: 60_000, everyMs: 20 });
  }

  async function read<T>(topic: Topic, codec: Codec<T>): Promise<T[]> {
    const found = new Map<string, T>();
    await scanTopic({
      kafka: deployment.kafka,
      logger: silentLogger,
      topic: topicName(topic, deployment.wiring),
      codec,
      onRecord: ({ partition, offset, value }) => {
        if (value !== null) found.set(`${partition}/${offset}`, value);
      },
    });
    return [...found.values()];
  }

  /** All that is in the tables is on the log. */
  async function published(): Promise<void> {
    await eventually(
      async () => {
        const { rows } = await inTables('select count(*)::int as count from outbox');
        expect(rows).to.deep.equal([{ count: 0 }]);
      },
      { deadlineMs: 30_000 },
    );
  }

  const inTables = (sql: string) =>
    queryOnce({ connectionString: postgres.address, options: '-c search_path=portal' }, sql);

  async function credits(): Promise<string[]> {
    const revisions = (await read('catalog', catalogCodec)).flatMap((record) =>
      record.entity === 'campaign-revision' ? [record] : [],
    );
    return revisions.map(({ revision, rules }) => {
      const { effect } = rules[0]!;
      return `${revision}: ${effect.kind === 'fixed' ? effect.credits : '?'}`;
    });
  }

  /** A copy of a record is harmless; another one of the same version is what nobody would read. */
  async function expectNoVersionTwice(): Promise<void> {
    const seen = new Map<string, string>();
    const all = [...(await read('catalog', catalogCodec)), ...(await read('codes', codeCodec))];
    for (const record of all) {
      const text = JSON.stringify(record);
      const known = seen.get(versionOf(record));
      if (known !== undefined) expect(text, 'of one version').to.equal(known);
      seen.set(versionOf(record), text);
    }
  }

  it('gives no revision number a second time, whichever portal is asked', async () => {
    const standby = await startLaggingStandby(postgres);
    const lost = await comesThrough(one, 'PUT', `${acme}/campaigns/spring`, campaign('70'));
    expect(lost['revision']).to.equal(2);
    await published();
    await standby.promote();
    // The other one, which has not written that revision itself.
    const put = await comesThrough(two, 'PUT', `${acme}/campaigns/spring`, campaign('90'));
    expect(put['revision']).to.equal(3);
    await published();
    expect([...new Set(await credits())]).to.deep.equal(['1: 60', '2: 70', '3: 90']);
    const again = await comesThrough(one, 'PUT', `${acme}/campaigns/spring`, campaign('90'));
    expect(again['revision']).to.equal(3);
  });

  it('does not call a change none because the tables have forgotten what came between', async () => {
    const standby = await startLaggingStandby(postgres);
    await comesThrough(two, 'PUT', `${acme}/campaigns/spring`, campaign('100'));
    await published();
    await standby.promote();
    const put = await comesThrough(one, 'PUT', `${acme}/campaigns/spring`, campaign('90'));
    expect(put['revision']).to.equal(5);
    await published();
    expect((await credits()).at(-1)).to.equal('5: 90');
  });

  it('gives no version of any other entity twice', async () => {
    const hook = (path: string) => ({ url: `https://example.com/${path}`, password: 'hook' });
    const { accessKeyId } = await does(one, 'POST', `${acme}/access-keys`, {});
    await does(one, 'PUT', `${acme}/webhook`, hook('first'));
    await does(one, 'POST', `${acme}/domains`, { domain: 'acme.example' });
    await does(one, 'POST', `${acme}/codes`, { productUserId: 'ada', ucc: 'SUMMER' });
    const standby = await startLaggingStandby(postgres);
    await comesThrough(one, 'DELETE', `${acme}/access-keys/${String(accessKeyId)}`);
    await does(one, 'PUT', `${acme}/webhook`, hook('lost'));
    await does(one, 'DELETE', `${acme}/domains/acme.example`);
    await does(one, 'PUT', `${acme}/widget`, { theme: { cornerRadius: 4 } });
    await does(one, 'POST', `${acme}/product-secret`, {});
    await does(one, 'PUT', `${acme}/attribution-mode`, { attributionMode: 'first-code' });
    await does(one, 'POST', `${acme}/codes`, { productUserId: 'ada', ucc: 'AUTUMN' });
    await does(one, 'POST', `${acme}/codes/disable`, { ucc: 'SUMMER' });
    await does(one, 'POST', `${acme}/people/erase`, { userId: 'gone' });
    await published();
    await standby.promote();
    // The first change after the failover finds out; each of the others must find the same.
    await comesThrough(two, 'PUT', `${acme}/webhook`, hook('second'));
    await does(two, 'DELETE', `${acme}/access-keys/${String(accessKeyId)}`);
    await does(two, 'POST', `${acme}/domains`, { domain: 'acme.example' });
    await does(two, 'PUT', `${acme}/widget`, { theme: { cornerRadius: 8 } });
    await does(two, 'POST', `${acme}/product-secret`, {});
    await does(two, 'PUT', `${acme}/attribution-mode`, { attributionMode: 'event-code' });
    await does(two, 'POST', `${acme}/codes/disable`, { ucc: 'SUMMER' });
    await does(two, 'POST', `${acme}/people/erase`, { userId: 'gone' });
    const taken = await two.call('POST', `${acme}/codes`, { productUserId: 'eve', ucc: 'AUTUMN' });
    expect(taken.status).to.equal(409);
    await published();
    await expectNoVersionTwice();
    const records = await read('catalog', catalogCodec);
    const versionsOf = (entity: CatalogRecord['entity']) =>
      new Set(records.flatMap((record) => (record.entity === entity ? record.version : [])));
    for (const entity of ['webhook-endpoint', 'domain', 'product-secret', 'tenant'] as const) {
      expect([...versionsOf(entity)].slice(0, 3), entity).to.deep.equal([1, 2, 3]);
    }
  });

  it('finds out, too, when rows and positions are older in the same server', async () => {
    await comesThrough(one, 'PUT', `${acme}/campaigns/summer`, campaign('1'));
    const { rows } = await inTables('select * from projection_position');
    const before = new Map(
      (rows as { topic: string; partition: number; next_offset: string }[]).map((row) => [
        `${row.topic}/${row.partition}`,
        row.next_offset,
      ]),
    );
    await does(one, 'PUT', `${acme}/campaigns/summer`, campaign('2'));
    // It has seen its own record, as each process does that reads the catalog.
    await eventually(async () => {
      const now = await inTables('select * from projection_position');
      const moved = (now.rows as { topic: string; partition: number; next_offset: string }[]).some(
        (row) => before.get(`${row.topic}/${row.partition}`) !== row.next_offset,
      );
      expect(moved).to.equal(true);
    });
    await eventually(async () => expect(await one.readiness()).to.equal(200));
    await inTables(
      `begin;
       delete from campaign_revision where campaign_id = 'summer' and revision = 2;
       update projection_position set next_offset = 0, last_digest = null;
       commit`,
    );
    const put = await comesThrough(one, 'PUT', `${acme}/campaigns/summer`, campaign('3'));
    expect(put['revision']).to.equal(3);
    await published();
    await expectNoVersionTwice();
    for (const portal of [one, two]) {
      await eventually(async () => expect(await portal.readiness()).to.equal(200), {
        deadlineMs: 30_000,
      });
    }
  });

  it('gives no version in doubt while a partition of the catalog is stopped, and names it', async () => {
    await does(one, 'PUT', `${acme}/campaigns/autumn`, campaign('60'));
    await published();
    await appendOfNewerSchema();
    const standby = await startLaggingStandby(postgres);
    await comesThrough(one, 'PUT', `${acme}/campaigns/autumn`, campaign('70'));
    await published();
    await standby.promote();
    const answer = await eventually(
      async () => {
        const put = await two.call('PUT', `${acme}/campaigns/autumn`, campaign('90'));
        const isOver = put.status < 300 || String(put.body['detail']).includes('stopped at');
        expect(isOver, JSON.stringify(put.body)).to.equal(true);
        return put;
      },
      { deadlineMs: 60_000 },
    );
    expect(answer, JSON.stringify(answer)).to.deep.include({ status: 503 });
    expect(answer.body['detail']).to.match(/stopped at \S*referral\.catalog\/\d+;/);
    const third = await deployment.start();
    const refused = await third.call('PUT', `${acme}/campaigns/autumn`, campaign('90'));
    expect(refused.status).to.equal(503);
  });

  /** By a version of tomorrow; once it is back, until the portal has stopped there. */
  async function appendOfNewerSchema(): Promise<void> {
    const appender = await startPatientAppender(deployment.kafka);
    const topic = topicName('catalog', deployment.wiring);
    await appender.append([{ topic, key: recordKey('acme'), value: '{"schemaVersion":99}' }]);
    await appender.stop();
    await eventually(
      async () => {
        const { rows } = await inTables(
          `select 1 from projection_position
           where projection = 'catalog-recovery' and stopped = 'newer-schema'`,
        );
        expect(rows).to.have.length(1);
      },
      { deadlineMs: 30_000 },
    );
  }
});

/** Names an entity and its version. */
function versionOf(record: CatalogRecord | CodeRecord): string {
  const { tenantId, version } = record;
  if (!('entity' in record)) return `code/${tenantId}/${record.ucc}/${version}`;
  return [record.entity, tenantId, ...keyOf(record), version].join('/');
}

function keyOf(record: CatalogRecord): (string | number)[] {
  switch (record.entity) {
    case 'access-key':
      return [record.accessKeyId];
    case 'campaign-revision':
      return [record.campaignId, record.revision];
    case 'processor-connection':
      return [record.connectionId];
    case 'domain':
      return [record.domain];
    case 'erasure':
      return [record.userId];
    case 'tenant':
    case 'product-secret':
    case 'webhook-endpoint':
    case 'widget-settings':
      return [];
    default:
      return record satisfies never;
  }
}

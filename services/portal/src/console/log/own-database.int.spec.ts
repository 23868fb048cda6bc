import { addGeneration, flipLive } from '@tributary/generations/registry';
import { listStages } from '@tributary/generations/stage-registry';
import { identifyDatabase } from '@tributary/generations/stage-databases';
import { silentLogger } from '@tributary/event-log/testing';
import { createTopics, topicSpecs } from '@tributary/event-log/topic-admin';
import { createPool, inTransaction } from '@tributary/runtime/postgres';
import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { freePort } from '@tributary/testkit/free-port';
import { expect } from 'chai';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type pg from 'pg';
import { scenario } from '../../testing/scenario.ts';
import { startTestPortal, type TestPortal } from '../../testing/test-portal.ts';

describe('portal: a read model in a database of its own', () => {
  const { records, bought, forAda } = scenario();
  let readModel: TestDatabase;
  let portal: TestPortal;
  let own: pg.Pool;
  let registry: pg.Pool;

  before(async () => {
    readModel = await createDatabase();
    portal = await startTestPortal({ readModelUrl: readModel.url });
    own = open(readModel.url, 'portal_read');
    registry = open(portal.postgresUrl, 'generations');
    await portal.call('POST', '/api/tenants', { name: 'acme', tenantId: 'acme' });
    await portal.publish(records.filter(({ topic }) => topic !== 'catalog'));
  });
  after(async () => {
    await Promise.all([own.end(), registry.end()]);
    await portal.stop();
    await readModel.drop();
  });

  it('is asked there, and the catalog where it was', async () => {
    await eventually(async () => expect(await outcomes()).to.have.lengthOf(5));
    await eventually(async () => {
      const { body } = await portal.call('GET', `/api/explain?event=${bought.eventId}`);
      expect(body['text']).to.contain('ada');
    });
    await eventually(async () => {
      const { body } = await portal.call('GET', '/api/tenants/acme/rewards?recipient=ada');
      expect((body['rewards'] as { rewardId: string }[])[0]?.rewardId).to.equal(forAda.rewardId);
    });
    const put = await portal.call('PUT', '/api/tenants/acme/campaigns/summer', {
      ...{ name: 'Summer', landingUrl: 'https://example.com/join', creditScale: 0 },
      rules: [],
    });
    expect(put.status).to.equal(200);
    expect(await schemasOf(registry))
      .to.include('portal')
      .and.not.include('portal_read');
    expect(await schemasOf(own))
      .to.include('portal_read')
      .and.not.include('portal');
    expect(await schemasOf(own)).to.not.include('generations');
  });

  it('takes what operators do about a dead letter', async () => {
    await eventually(async () => {
      const { body } = await portal.call('GET', '/api/dead-letters?status=open');
      const [item] = body['deadLetters'] as { itemId: string }[];
      const discard = `/api/dead-letters/${item?.itemId}/discard`;
      expect((await portal.call('POST', discard, { by: 'olga' })).status).to.equal(200);
    });
  });

  it('says in the registry where it is, and is made there for each generation', async () => {
    const [stage] = await listStages(registry, 1);
    expect(stage).to.include({ name: 'portal', database: await identifyDatabase(own) });
    const topics = topicSpecs({ ...portal.topics, generation: 2, replication: 1, minInsync: 1 }, [
      'attributions',
      'rewards',
    ]);
    await createTopics({ kafka: portal.kafka, topics, logger: silentLogger });
    await addGeneration(registry, { number: 2, foldVersion: 1 });
    await eventually(async () => expect(await schemasOf(own)).to.include('portal_read_g2'));
    await eventually(async () => {
      await inTransaction(registry, (tx) => flipLive(tx, { from: 1, to: 2 }));
      expect(new Set(await outcomes())).to.deep.equal(new Set(['pending']));
    });
    expect(await schemasOf(registry)).to.not.include('portal_read_g2');
  });

  it('is built again when it was dropped', async () => {
    await own.query('drop schema portal_read_g2 cascade');
    await eventually(
      async () => {
        expect(await outcomes()).to.have.lengthOf(5);
        const { rowCount } = await own.query('select from portal_read_g2.event');
        expect(rowCount).to.equal(5);
      },
      { deadlineMs: 30_000 },
    );
  });

  async function outcomes(): Promise<unknown[]> {
    const { body } = await portal.call('GET', '/api/tenants/acme/events');
    return (body['events'] as Record<string, unknown>[]).map(({ outcome }) => outcome ?? 'pending');
  }

  async function schemasOf(pool: pg.Pool): Promise<string[]> {
    const { rows } = await pool.query<{ name: string }>('select nspname as name from pg_namespace');
    return rows.map(({ name }) => name);
  }

  function open(url: string, schema: string): pg.Pool {
    const settings = { url, schema, poolSize: 2 };
    return createPool(settings, { applicationName: 'test', logger: silentLogger });
  }
});

describe('portal: a read model whose database does not answer when it starts', () => {
  const { records } = scenario();
  const stops: (() => Promise<unknown> | void)[] = [];
  after(async () => {
    for (const stop of stops.reverse()) await stop();
  });

  it('keeps nobody from the catalog, and is there once the database is', async () => {
    const readModel = await createDatabase();
    stops.push(() => readModel.drop());
    const port = await freePort();
    const url = new URL(readModel.url);
    url.host = `127.0.0.1:${port}`;
    const portal = await startTestPortal({ readModelUrl: url.href });
    stops.push(() => portal.stop());

    const made = await portal.call('POST', '/api/tenants', { name: 'acme', tenantId: 'acme' });
    expect(made.status).to.equal(201);
    expect((await portal.call('GET', '/api/tenants/acme/events')).status).to.equal(503);
    expect((await fetch(`${portal.adminUrl}/metrics`)).status).to.equal(200);
    await eventually(async () => {
      const ready = await fetch(`${portal.adminUrl}/readyz?all`);
      expect(await ready.text()).to.match(/ECONNREFUSED/);
    });
    await portal.publish(records.filter(({ topic }) => topic !== 'catalog'));

    const { hostname, port: real } = new URL(readModel.url);
    const way = createServer((socket) => {
      const upstream = connect(Number(real), hostname);
      socket.on('error', () => upstream.destroy());
      upstream.on('error', () => socket.destroy());
      socket.pipe(upstream).pipe(socket);
    });
    way.listen(port, '127.0.0.1');
    await once(way, 'listening');
    stops.push(() => void way.close());
    await eventually(
      async () => {
        const { body } = await portal.call('GET', '/api/tenants/acme/events');
        expect(body['events']).to.have.lengthOf(5);
      },
      { deadlineMs: 30_000 },
    );
  });
});

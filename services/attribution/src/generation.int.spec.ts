import { decisionCodec, type DecisionRecord } from '@tributary/contracts/decision-record';
import { catalogCodec } from '@tributary/contracts/catalog-record';
import { codeCodec } from '@tributary/contracts/code-record';
import { eventCodec } from '@tributary/contracts/event-record';
import { recordKey, type Topic, topicName } from '@tributary/contracts/topics';
import { code, purchase, revision } from '@tributary/attribution-fold/testing/records';
import type { Appender } from '@tributary/event-log/appender';
import { startPatientAppender } from '@tributary/event-log/testing/patient-appender';
import { createKafka, type KafkaConnection } from '@tributary/event-log/kafka';
import { enqueue } from '@tributary/event-log/outbox';
import { scanTopic } from '@tributary/event-log/scan-topic';
import { createTopics, topicSpecs } from '@tributary/event-log/topic-admin';
import { prepareGenerations } from '@tributary/generations/open-generations';
import { groupOfGeneration } from '@tributary/generations/generation';
import { addGeneration, findGeneration, flipLive } from '@tributary/generations/registry';
import { samplesOf } from '@tributary/http/testing/samples';
import { createLogger } from '@tributary/runtime/logger';
import { createPool, inTransaction } from '@tributary/runtime/postgres';
import { createDatabase, type TestDatabase, queryOnce } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { getServers } from '@tributary/testkit/servers';
import { uniquePrefix } from '@tributary/testkit/topics';
import { expect } from 'chai';
import type pg from 'pg';
import { startAttribution } from './app.ts';

const logger = createLogger({ service: 'test', level: 'silent' });
const deadline = { deadlineMs: 40_000 };

describe('generations of attribution', () => {
  const prefix = uniquePrefix();
  const topics = { prefix, replication: 1, minInsync: 1 };
  const group = `attribution-${prefix}`;
  const nameOf = (topic: Topic, generation = 1) => topicName(topic, { prefix, generation });
  let brokers: string[];
  let database: TestDatabase;
  let kafka: KafkaConnection;
  let appender: Appender;
  let pool: pg.Pool;
  let service: Awaited<ReturnType<typeof start>> | undefined;
  let last = 0;

  before(async () => {
    brokers = (await getServers()).kafkaBrokers.split(',');
    database = await createDatabase();
    kafka = createKafka({ settings: { brokers }, clientId: 'test', logger });
    await eventually(() =>
      createTopics({ kafka, topics: topicSpecs({ ...topics, generation: 1 }), logger }),
    );
    appender = await startPatientAppender(kafka);
    pool = lookIn(database.url);
    await prepareGenerations({ url: database.url, schema: 'generations' }, logger);
    await append('catalog', recordKey('t1'), catalogCodec.encode(revision()));
    await append('codes', recordKey('t1', 'anna1'), codeCodec.encode(code()));
  });

  after(async () => {
    await service?.stop();
    await pool.end();
    await appender.stop();
    await database.drop();
  });

  it('folds a generation that is registered meanwhile from the first offset to the same decisions', async () => {
    service = await start(database.url);
    await report(40);
    await decided(pool, 40);
    await addGeneration(pool, { number: 2, foldVersion: 2 });
    await eventually(async () => {
      const text = await (await fetch(`${service!.url}/readyz?all`)).text();
      expect(text).to.match(/generation 2 does not start: .*create it with/);
    }, deadline);
    await eventually(() =>
      createTopics({
        kafka,
        topics: topicSpecs({ ...topics, generation: 2 }, ['attributions', 'rewards']),
        logger,
      }),
    );
    await report(10);
    await decided(pool, 50);
    await decided(pool, 50, 'attribution_g2');
    await eventually(async () => {
      expect(await decisions('attribution_g2')).to.deep.equal(await decisions('attribution_g1'));
    }, deadline);
    expect(await published(2)).to.have.length(50);
    // Codes and catalog were read first: nothing was decided before, and then again.
    const { rows } = await pool.query('select max(version) as most from attribution_g2.fact');
    expect(rows).to.deep.equal([{ most: 1 }]);
    await eventually(async () => {
      expect((await fetch(`${service!.url}/readyz?all`)).status).to.equal(200);
    }, deadline);
  });

  it('tells the lag of each generation and which one is live, alike in each replica, through a swap', async () => {
    const replica = await start(database.url);
    try {
      const replicas = [service!, replica];
      const toldBy = async (live: number) => {
        const kept = 3 - live;
        for (const { url } of replicas) {
          const rows = samplesOf(
            await (await fetch(`${url}/metrics`)).text(),
            'tributary_consumer_lag',
          );
          const told = rows.map(({ labels, value }) => [
            ...[labels['topic']?.replace(`${prefix}referral.`, ''), labels['group']],
            ...[labels['generation'], labels['live'], value],
          ]);
          expect(told).to.have.deep.members(
            ['events', 'codes', 'catalog'].flatMap((topic) => [
              [topic, groupOfGeneration(group, live), String(live), 'true', 0],
              [topic, groupOfGeneration(group, kept), String(kept), 'false', 0],
            ]),
          );
        }
      };
      await eventually(() => toldBy(1), deadline);
      await inTransaction(pool, (tx) => flipLive(tx, { from: 1, to: 2 }));
      await eventually(() => toldBy(2), deadline);
      await inTransaction(pool, (tx) => flipLive(tx, { from: 2, to: 1 }));
      await eventually(() => toldBy(1), deadline);
    } finally {
      await replica.stop();
    }
  });

  it('goes on after a crash between an ack and the removal of its row', async () => {
    await service?.stop();
    const [sent] = await published(1);
    // As a crash leaves it: on the log, and still in the outbox.
    await inTransaction(pool, (tx) => enqueue(tx, [entryOf(sent!)]));
    service = await start(database.url);
    await report(1);
    await decided(pool, 51);
    expect((await findGeneration(pool, 1))?.status).to.equal('live');
  });

  it('does not resume a schema from an older backup: lost, and nothing is written to the log', async () => {
    await service?.stop();
    await pool.end();
    const older = await copyDatabase(database.url);
    pool = lookIn(database.url);
    service = await start(database.url);
    await report(3);
    await decided(pool, 54);
    await decided(pool, 54, 'attribution_g2');
    await service.stop();
    service = undefined;
    await report(3);
    const before = await ends();

    const restored = await start(older.url);
    const look = lookIn(older.url);
    try {
      await eventually(async () => {
        expect(await findGeneration(look, 1)).to.include({ status: 'lost' });
      }, deadline);
      await eventually(async () => {
        const ready = await fetch(`${restored.url}/readyz?all`);
        expect(ready.status).to.equal(503);
        expect(await ready.text()).to.match(
          /generation 1 is lost: attribution: its schema is older than its topic: it does not know [1-3] of the last .*tributary replay rebuild/,
        );
      }, deadline);
      await eventually(async () => {
        expect(await findGeneration(look, 2)).to.include({ status: 'lost' });
      }, deadline);
      expect(await ends()).to.equal(before);
    } finally {
      await restored.stop();
      await look.end();
      await older.drop();
    }
  });

  it('notices that its schema is dropped while it runs', async () => {
    service = await start(database.url);
    await decided(pool, 57);
    await pool.query('drop schema attribution_g2 cascade');
    await eventually(
      async () => expect((await findGeneration(pool, 2))?.status).to.equal('lost'),
      deadline,
    );
    await report(1);
    await decided(pool, 58);
    expect((await findGeneration(pool, 1))?.status).to.equal('live');
  });

  it('notices that everything is dropped while it runs, the registry included', async () => {
    const before = await ends();
    await pool.query('drop schema attribution_g1 cascade');
    await pool.query('drop schema generations cascade');
    await eventually(
      async () => expect((await findGeneration(pool, 1))?.status).to.equal('lost'),
      deadline,
    );
    expect(await ends()).to.equal(before);
    await eventually(async () => {
      const ready = await fetch(`${service!.url}/readyz?all`);
      expect(await ready.text()).to.include('generation 1 is lost');
    });
  });

  async function start(url: string) {
    const stops: (() => Promise<void> | void)[] = [];
    const { adminPort } = await startAttribution(
      {
        host: '127.0.0.1',
        adminPort: 0,
        kafka: { brokers },
        postgres: { url, schema: 'attribution_g1', poolSize: 10 },
        generationsSchema: 'generations',
        topics,
        group,
        internalTokens: ['test-internal-token'],
      },
      { logger, onStop: (_name, stop) => void stops.push(stop) },
    );
    return {
      url: `http://127.0.0.1:${adminPort}`,
      async stop() {
        for (const stop of stops.splice(0).reverse()) await stop();
      },
    };
  }

  const append = (topic: Topic, key: string, value: string) =>
    appender.append([{ topic: nameOf(topic), key, value }]);

  async function report(count: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      const event = purchase((last += 1));
      await append('events', recordKey('t1', event.newUser.id), eventCodec.encode(event));
    }
  }

  async function decided(db: pg.Pool, count: number, schema = 'attribution_g1'): Promise<void> {
    await eventually(async () => {
      const { rows } = await db.query(
        `select (select count(*)::int from ${schema}.fact) as decided,
                (select count(*)::int from ${schema}.outbox) as unsent`,
      );
      expect(rows[0]).to.deep.equal({ decided: count, unsent: 0 });
    }, deadline);
  }

  async function decisions(schema: string): Promise<unknown[]> {
    const { rows } = await pool.query<object>(
      `select event_id, tenant_id, outcome, campaign_id, encode(digest, 'hex') as digest
       from ${schema}.fact order by event_id`,
    );
    return rows;
  }

  async function published(generation: number): Promise<DecisionRecord[]> {
    const found = new Map<string, DecisionRecord>();
    await scanTopic({
      kafka,
      logger,
      topic: nameOf('attributions', generation),
      codec: decisionCodec,
      onRecord: ({ value }) => void (value && found.set(value.eventId, value)),
    });
    return [...found.values()];
  }

  function entryOf(decision: DecisionRecord) {
    return {
      topic: nameOf('attributions'),
      key: recordKey(decision.tenantId, decision.newUserId),
      value: decisionCodec.encode(decision),
    };
  }

  /** How many records the decisions' topic has. */
  async function ends(): Promise<number> {
    const admin = kafka.client.admin();
    await admin.connect();
    const offsets = await admin.fetchTopicOffsets(nameOf('attributions'));
    await admin.disconnect();
    return offsets.reduce((sum, { high }) => sum + Number(high), 0);
  }
});

/** Looks at the first generation and at the registry. */
function lookIn(url: string): pg.Pool {
  return createPool(
    { url, schema: 'attribution_g1', poolSize: 4 },
    { searchPath: ['attribution_g1', 'generations'], applicationName: 'look', logger },
  );
}

/** What a backup of this moment restores. Nobody may be connected to the original meanwhile. */
async function copyDatabase(url: string): Promise<TestDatabase> {
  const original = new URL(url).pathname.slice(1);
  const copy = new URL(url);
  copy.pathname = `/${original}_older`;
  const admin = new URL(url);
  admin.pathname = '/postgres';
  // The server may not have seen yet that whoever was connected has left.
  await eventually(() =>
    queryOnce(admin.href, `create database ${original}_older template ${original}`),
  );
  return {
    url: copy.href,
    async drop() {
      await queryOnce(admin.href, `drop database if exists ${original}_older with (force)`);
    },
  };
}

import { codeCodec } from '@tributary/contracts/code-record';
import { recordKey, type Topic, topicName } from '@tributary/contracts/topics';
import { aclsOf, type KafkaPrincipal } from '@tributary/contracts/topic-rights';
import { createAppender } from '@tributary/event-log/appender';
import { addAcls, type GivenAcl, removeAcls } from '@tributary/event-log/kafka-acls';
import { findMissingRights } from '@tributary/event-log/missing-rights';
import { eventLogMigrations } from '@tributary/event-log/migrations';
import { setScramPasswords } from '@tributary/event-log/scram-users';
import { connectTo } from '@tributary/event-log/testing';
import { createTopics, topicSpecs } from '@tributary/event-log/topic-admin';
import { createLife, type ServiceLife } from '@tributary/http/service-life';
import { createLogger } from '@tributary/runtime/logger';
import { migrate } from '@tributary/runtime/migrate';
import { createPool } from '@tributary/runtime/postgres';
import { startAuthorizingKafka } from '@tributary/testkit/authorizing-kafka';
import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { hostReadModels } from './host-read-models.ts';
import { openGenerations } from './open-generations.ts';
import { findGeneration } from './registry.ts';
import { type FoldPlan, serveFold, type ServedFoldSettings } from './serve-fold.ts';
import type { ReadModelPlan } from './start-read-model.ts';

const logger = createLogger({ service: 'test', level: 'silent' });
const topics = { prefix: 'lacking.', replication: 1, minInsync: 1 };
const nameOf = (topic: Topic) => topicName(topic, { ...topics, generation: 1 });
const deadline = { deadlineMs: 30_000 };

describe('generations whose principal lacks a right at the brokers', function () {
  this.timeout(120_000);
  let broker: Awaited<ReturnType<typeof startAuthorizingKafka>>;
  let database: TestDatabase;
  const stops: (() => Promise<void> | void)[] = [];

  before(async () => {
    broker = await startAuthorizingKafka();
    const admin = connectTo(broker.admin);
    const principals = ['attribution', 'portal'] as const;
    const users = principals.map((name) => {
      return { name, mechanism: 'scram-sha-512', password: `of-${name}` } as const;
    });
    await setScramPasswords(admin, users);
    const specs = topicSpecs({ ...topics, generation: 1 });
    await createTopics({ kafka: admin, topics: specs, logger });
    for (const name of principals) await addAcls(admin, aclsOfUser(name));
    const appender = createAppender({ kafka: admin, logger, deadlineMs: 30_000 });
    await appender.start();
    const value = codeCodec.encode({
      ...{ schemaVersion: 1, type: 'code-issued', tenantId: 't1', ucc: 'anna1', version: 1 },
      ...{ campaignId: 'c', productUserId: 'anna', at: '2026-01-01T00:00:00.000Z' },
    });
    const record = { topic: nameOf('attributions'), key: recordKey('t1', 'anna1'), value };
    await eventually(() => appender.append([record]), deadline);
    await appender.stop();
  });
  beforeEach(async () => {
    database = await createDatabase();
  });
  afterEach(async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
    await database.drop();
  });
  after(() => broker.stop());

  it('are not lost, say what lacks, and go on once it is given', async () => {
    const taken = await take('attribution', 'attributions');
    const service = await serveFold(fold, settingsOf('attribution'), lifeOf('attribution'));
    const url = `http://127.0.0.1:${service.adminPort}/readyz?all`;
    const words = `User:attribution lacks Read on topic ${nameOf('attributions')}`;
    const ready = await fetch(url);
    expect(ready.status).to.equal(503);
    expect(await ready.text()).to.include(words);
    expect(await statusOfFirst()).to.equal('live');
    await addAcls(connectTo(broker.admin), taken);
    await eventually(async () => expect((await fetch(url)).status).to.equal(200), deadline);
    expect(await statusOfFirst()).to.equal('live');
  });

  it('of a read model say so, too, and the process goes on', async () => {
    const taken = await take('portal', 'rewards');
    const life = lifeOf('portal');
    const kafka = connectTo(addressOf('portal'));
    const appender = createAppender({ kafka, logger });
    await life.start('kafka', appender);
    const settings = settingsOf('portal');
    await hostReadModels(settings, { ...life, plan: readModel, kafka, appender });
    const health = async () => life.checks()['generations']!();
    const words = `User:portal lacks Read on topic ${nameOf('rewards')}`;
    const { ok, detail } = await health();
    expect(ok).to.equal(false);
    expect(detail).to.include(words);
    await addAcls(connectTo(broker.admin), taken);
    await eventually(async () => expect(await health()).to.deep.equal({ ok: true }), deadline);
  });

  const fold: FoldPlan<ServedFoldSettings, unknown> = {
    service: 'attribution',
    reads: ['events'],
    readsFirst: [],
    traces: 'events',
    writes: 'attributions',
    grants: 'issuances',
    codec: codeCodec,
    countKnown: (_db, records) => Promise.resolve(records.length),
    hasSent: () => Promise.resolve(true),
    async prepare({ postgres }, log) {
      const { schema } = postgres;
      await migrate({ settings: postgres, schema, sets: [eventLogMigrations], logger: log });
      return createPool(postgres, { applicationName: 'test', logger: log });
    },
    build: () => ({
      apply: () => Promise.resolve(),
      onCommitted: () => undefined,
      workers: {},
      routes: [],
    }),
  };
  const readModel: ReadModelPlan = {
    projection: 'test',
    applicationName: 'test',
    migrations: eventLogMigrations,
    topics: ['catalog', 'rewards'],
    applyBatch: () => Promise.resolve(),
  };

  const addressOf = (name: KafkaPrincipal) => broker.as(name, `of-${name}`);

  function settingsOf(name: KafkaPrincipal): ServedFoldSettings {
    const { kafkaBrokers, kafkaSasl: sasl } = addressOf(name);
    return {
      host: '127.0.0.1',
      adminPort: 0,
      kafka: { brokers: kafkaBrokers.split(','), sasl },
      postgres: { url: database.url, schema: `${name}_g1`, poolSize: 5 },
      generationsSchema: 'generations',
      topics,
      group: name,
      internalTokens: ['test-internal-token'],
    };
  }

  function lifeOf(service: string): ServiceLife {
    return createLife({ service, logger, onStop: (_name, stop) => void stops.push(stop) });
  }

  /** All that it may do at this topic, in every generation; resolves once it is refused. */
  async function take(name: KafkaPrincipal, topic: Topic): Promise<GivenAcl[]> {
    const taken = aclsOfUser(name).filter((acl) => acl.name.startsWith(nameOf(topic)));
    await removeAcls(connectTo(broker.admin), taken);
    const kafka = connectTo(addressOf(name));
    const wiring = { ...topics, generation: 1 };
    await eventually(async () =>
      expect(
        await findMissingRights({ kafka, service: name, wiring, topics: [topic] }),
      ).to.have.length.above(1),
    );
    return taken;
  }

  async function statusOfFirst() {
    const own: (() => Promise<void> | void)[] = [];
    const pool = await openGenerations(
      { url: database.url, schema: 'generations' },
      { logger, onStop: (_name, stop) => void own.push(stop), service: 'test' },
    );
    const found = await findGeneration(pool, 1);
    for (const stop of own) await stop();
    return found?.status;
  }
});

function aclsOfUser(name: KafkaPrincipal): GivenAcl[] {
  return aclsOf(name, topics.prefix).map((acl) => ({ ...acl, principal: `User:${name}` }));
}

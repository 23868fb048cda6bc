import { codeCodec } from '@tributary/contracts/code-record';
import { recordKey, topicName } from '@tributary/contracts/topics';
import { type Appender, createAppender } from '@tributary/event-log/appender';
import { createKafka, type KafkaConnection } from '@tributary/event-log/kafka';
import { createTopics, topicSpecs } from '@tributary/event-log/topic-admin';
import { createLogger } from '@tributary/runtime/logger';
import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { getServers } from '@tributary/testkit/servers';
import { uniquePrefix } from '@tributary/testkit/topics';
import { expect } from 'chai';
import type pg from 'pg';
import { evaluateGeneration } from './evaluate-generation.ts';
import { openGenerations } from './open-generations.ts';
import { addGeneration, findGeneration } from './registry.ts';

const logger = createLogger({ service: 'test', level: 'silent' });

describe('the evaluation of a generation', () => {
  let database: TestDatabase;
  let kafka: KafkaConnection;
  let appender: Appender;
  let pool: pg.Pool;
  let wiring: { prefix: string; generation: number };
  const stops: (() => Promise<void> | void)[] = [];

  before(async () => {
    const brokers = (await getServers()).kafkaBrokers.split(',');
    kafka = createKafka({ settings: { brokers }, clientId: 'test', logger });
    appender = createAppender({ kafka, logger, deadlineMs: 30_000 });
    await appender.start();
    await eventually(() => expect(appender.health().ok).to.equal(true));
  });
  beforeEach(async () => {
    wiring = { prefix: uniquePrefix(), generation: 1 };
    database = await createDatabase();
    pool = await openGenerations(
      { url: database.url, schema: 'generations' },
      { logger, onStop: (_name, stop) => void stops.push(stop), service: 'test' },
    );
  });
  afterEach(async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
    await database.drop();
  });
  after(() => appender.stop());

  const topic = () => topicName('attributions', wiring);
  const makeTopic = () =>
    createTopics({
      kafka,
      topics: topicSpecs({ ...wiring, replication: 1, minInsync: 1 }, [
        'attributions',
        'issuances',
      ]),
      logger,
    });

  /** Any record will do. */
  const grants = () => topicName('issuances', wiring);
  const send = (to = topic()) =>
    appender.append([
      {
        topic: to,
        key: recordKey('t1', 'anna1'),
        value: codeCodec.encode({
          ...{ schemaVersion: 1, type: 'code-issued', tenantId: 't1', ucc: 'anna1', version: 1 },
          ...{ campaignId: 'c', productUserId: 'anna', at: '2026-01-01T00:00:00.000Z' },
        }),
      },
    ]);

  const evaluate = (knows: { hasSent: () => Promise<boolean>; all: boolean }, generation = 1) =>
    evaluateGeneration({
      ...{ pool, kafka, logger, service: 'test', generation, topic: topic() },
      codec: codeCodec,
      countKnown: (records) => Promise.resolve(knows.all ? records.length : 0),
      hasSent: knows.hasSent,
      grantsTopic: grants(),
    });
  const sent = () => Promise.resolve(true);
  const sentNothing = () => Promise.resolve(false);

  it('lets one begin, and go on', async () => {
    await makeTopic();
    expect(await evaluate({ hasSent: sentNothing, all: false })).to.equal('intact');
    await send();
    expect(await evaluate({ hasSent: sent, all: true })).to.equal('intact');
  });

  it('lets one go on whose first records are sent by another process meanwhile', async () => {
    await makeTopic();
    const meanwhile = () => send().then(() => true);
    expect(await evaluate({ hasSent: meanwhile, all: true })).to.equal('intact');
  });

  it('finds one lost that is older than its topic', async () => {
    await makeTopic();
    await send();
    expect(await evaluate({ hasSent: sent, all: false })).to.equal('lost');
    expect((await findGeneration(pool, 1))?.note).to.include('does not know 1 of the last 1');
  });

  it('finds one lost whose records are gone, with their topic or without', async () => {
    await makeTopic();
    expect(await evaluate({ hasSent: sent, all: true })).to.equal('lost');
    wiring = { ...wiring, prefix: uniquePrefix() };
    expect(await evaluate({ hasSent: sent, all: true })).to.equal('lost');
    expect(await evaluate({ hasSent: sentNothing, all: true })).to.equal('intact');
  });

  it('finds the live one lost that has decided nothing of what was granted, and no other', async () => {
    await makeTopic();
    await send(grants());
    await addGeneration(pool, { number: 2, foldVersion: 2, note: 'built from the log' });
    const knowsNothing = { hasSent: sentNothing, all: true };
    expect(await evaluate(knowsNothing)).to.equal('lost');
    expect((await findGeneration(pool, 1))?.note).to.include('as after an import');
    expect(await evaluate(knowsNothing, 2)).to.equal('intact');
    await send();
    expect(await evaluate({ hasSent: sent, all: true })).to.equal('intact');
  });
});

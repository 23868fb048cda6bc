import { deliveryCodec } from '@tributary/contracts/delivery-record';
import { type IssuanceRecord, issuanceCodec } from '@tributary/contracts/issuance-record';
import { recordKey, type Topic, topicName } from '@tributary/contracts/topics';
import type { Appender } from '@tributary/event-log/appender';
import { startPatientAppender } from '@tributary/event-log/testing/patient-appender';
import { createCatchUp } from '@tributary/event-log/catch-up';
import { createProjection, type Projection, source } from '@tributary/event-log/projection';
import { connectTo, makeTopics, plainTopic } from '@tributary/event-log/testing';
import { eventually } from '@tributary/testkit/eventually';
import { getServers } from '@tributary/testkit/servers';
import { uniquePrefix } from '@tributary/testkit/topics';
import { expect } from 'chai';
import { applyRecords, deliveriesSource, issuancesSource } from '../log/apply-records.ts';
import { createIntakeGate, type IntakeGate } from './intake-gate.ts';
import { createDispatchDatabase, silentLogger } from '../testing/database.ts';
import { attempted, endpointRecord, incomingEndpoints } from '../testing/facts.ts';
import { issuance, uuidOf } from '../testing/records.ts';

describe('the intake of issuances', () => {
  const kafkaOf = async () => connectTo((await getServers()).kafkaBrokers);
  let kafka: Awaited<ReturnType<typeof kafkaOf>>;
  let appender: Appender;
  let database: Awaited<ReturnType<typeof createDispatchDatabase>>;
  let nameOf: (topic: Topic) => string;
  let stops: (() => Promise<void>)[];

  before(async () => {
    kafka = await kafkaOf();
    appender = await startPatientAppender(kafka);
  });

  beforeEach(async () => {
    database = await createDispatchDatabase();
    const wiring = { prefix: uniquePrefix(), generation: 1 };
    nameOf = (topic) => topicName(topic, wiring);
    await makeTopics(
      kafka,
      plainTopic(nameOf('issuances'), 2),
      plainTopic(nameOf('deliveries'), 2),
      plainTopic(nameOf('deadLetters'), 1),
    );
    stops = [];
  });

  afterEach(async () => {
    for (const stop of stops) await stop();
    await database.drop();
  });
  after(() => appender.stop());

  /**
   * A gate of 200, so that one endpoint counts for two at most; the projection takes ten at once.
   */
  function read(): { gate: IntakeGate; projection: Projection } {
    const { pool } = database;
    const logger = silentLogger;
    const gate = createIntakeGate({ pool, logger, limit: 200, everyMs: 20 });
    const projection = createProjection({
      kafka,
      logger,
      pool,
      name: 'dispatcher',
      group: `group-${nameOf('issuances')}`,
      sources: [
        source(issuancesSource, nameOf('issuances'), issuanceCodec),
        source(deliveriesSource, nameOf('deliveries'), deliveryCodec),
      ],
      apply: applyRecords,
      deadLetterTopic: nameOf('deadLetters'),
      maxBatchRecords: 10,
      mayRead: (name) => gate.mayRead(name),
    });
    stops.push(
      () => projection.stop(),
      () => gate.stop(),
    );
    void projection.start();
    return { gate, projection };
  }

  async function issue(...records: IssuanceRecord[]): Promise<void> {
    await appender.append(
      records.map((record) => ({
        topic: nameOf('issuances'),
        key: recordKey(record.tenantId, record.recipientId),
        value: issuanceCodec.encode(record),
      })),
    );
  }

  async function countRows(tenantId: string): Promise<number> {
    const { rows } = await database.pool.query<{ count: number }>(
      'select count(*)::int from delivery where tenant_id like $1',
      [tenantId],
    );
    return rows[0]!.count;
  }

  const tenants = (count: number) => Array.from({ length: count }, (_, n) => `many-${n}`);
  const some = (tenantId: string, count: number) =>
    Array.from({ length: count }, (_, n) =>
      issuance(uuidOf(`${tenantId}/${n}`), { tenantId, recipientId: `r${n}` }),
    );
  const activate = (...tenantIds: string[]) =>
    database.apply(...incomingEndpoints(...tenantIds.map((id) => endpointRecord(id))));
  const deliverAll = (limit: number) =>
    database.pool.query(
      `update delivery set state = 'delivered', finished_at = now()
       where webhook_event_id in
         (select webhook_event_id from delivery where state = 'pending' limit $1)`,
      [limit],
    );

  it('pauses while too much is due and goes on when less is; facts are read all the while', async () => {
    await activate(...tenants(150));
    await issue(...tenants(150).flatMap((tenantId) => some(tenantId, 2)));
    const { gate, projection } = read();
    await eventually(async () => expect(await countRows('many-%')).to.equal(300), {
      deadlineMs: 20_000,
    });
    gate.start();
    await eventually(() => expect(gate.isClosed()).to.equal(true));
    expect(gate.gauges['tributary_webhook_intake_held_back']?.read()).to.equal(1);

    await issue(...some('later', 20));
    await eventually(() => {
      const held = projection
        .partitions()
        .filter(({ topic, state }) => topic === nameOf('issuances') && state === 'held-back');
      expect(held).not.to.deep.equal([]);
    });
    const fact = attempted(uuidOf('many-0/0'), { tenantId: 'many-0', outcome: 'delivered' });
    const key = recordKey(fact.tenantId, fact.webhookEventId);
    const value = deliveryCodec.encode(fact);
    await appender.append([{ topic: nameOf('deliveries'), key, value }]);
    await eventually(async () => {
      const { rows } = await database.pool.query(`select from attempt`);
      expect(rows).to.have.length(1);
    });
    expect(await countRows('later')).to.equal(0);
    expect(projection.health()).to.deep.equal({ ok: true });

    await deliverAll(200);
    await eventually(async () => expect(await countRows('later')).to.equal(20));
    expect(gate.isClosed()).to.equal(false);
  });

  it('is not paused by one endpoint, however much waits for it, nor by what is not sent', async () => {
    await activate('one', 'broken-1', 'broken-2');
    await database.apply(...incomingEndpoints(endpointRecord('off', { status: 'paused' })));
    await database.pool.query(
      `update endpoint set probe_at = now() where tenant_id like 'broken%'`,
    );
    const { gate } = read();
    gate.start();
    const others = ['broken-1', 'broken-2', 'off', 'without-endpoint'];
    await issue(...some('one', 1_000), ...others.flatMap((tenantId) => some(tenantId, 200)));
    await eventually(async () => expect(await countRows('%')).to.equal(1_800), {
      deadlineMs: 30_000,
    });
    expect(gate.isClosed()).to.equal(false);
  });

  it('reads a log that has more than the limit to its end before anything is sent', async () => {
    await activate(...tenants(150));
    await issue(...tenants(150).flatMap((tenantId) => some(tenantId, 3)));
    const { projection } = read();
    const topics = [nameOf('issuances'), nameOf('deliveries')];
    const caughtUp = createCatchUp({
      kafka,
      pool: database.pool,
      name: 'dispatcher',
      projection,
      topics,
    });
    await eventually(async () => expect(await caughtUp()).to.equal(true), { deadlineMs: 30_000 });
    expect(await countRows('many-%')).to.equal(450);
  });
});

import { catalogCodec } from '@tributary/contracts/catalog-record';
import { codeCodec } from '@tributary/contracts/code-record';
import { type DecisionRecord, decisionCodec } from '@tributary/contracts/decision-record';
import { eventCodec } from '@tributary/contracts/event-record';
import { recordKey, type Topic, topicName } from '@tributary/contracts/topics';
import type { Appender } from '@tributary/event-log/appender';
import { startPatientAppender } from '@tributary/event-log/testing/patient-appender';
import { createKafka, type KafkaConnection } from '@tributary/event-log/kafka';
import { scanTopic } from '@tributary/event-log/scan-topic';
import { createTopics, topicSpecs } from '@tributary/event-log/topic-admin';
import { createLogger } from '@tributary/runtime/logger';
import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { getServers } from '@tributary/testkit/servers';
import { uniquePrefix } from '@tributary/testkit/topics';
import { expect } from 'chai';
import { startAttribution } from './app.ts';
import type { AttributionSettings } from './generation.ts';
import { foldUser } from '@tributary/attribution-fold/fold-user';
import type { Arrival } from '@tributary/attribution-fold/testing/arbitraries';
import {
  byEvent,
  decideFromScratch,
  withoutVersion,
} from '@tributary/attribution-fold/decide-from-scratch';
import { code, eventIdOf, purchase, revision } from '@tributary/attribution-fold/testing/records';

const logger = createLogger({ service: 'test', level: 'silent' });

describe('attribution', () => {
  const topics = { prefix: uniquePrefix(), generation: 1, replication: 1, minInsync: 1 };
  const nameOf = (topic: Topic) => topicName(topic, topics);
  const poisoned = new Set<string>();
  let database: TestDatabase;
  let kafka: KafkaConnection;
  let appender: Appender;
  let settings: AttributionSettings;
  const processes: Awaited<ReturnType<typeof startProcess>>[] = [];

  before(async () => {
    const servers = await getServers();
    const kafkaSettings = { brokers: servers.kafkaBrokers.split(',') };
    database = await createDatabase();
    kafka = createKafka({ settings: kafkaSettings, clientId: 'test', logger });
    await eventually(() => createTopics({ kafka, topics: topicSpecs(topics), logger }));
    appender = await startPatientAppender(kafka);
    settings = {
      host: '127.0.0.1',
      adminPort: 0,
      kafka: kafkaSettings,
      postgres: { url: database.url, schema: 'attribution_g1', poolSize: 10 },
      topics,
      generationsSchema: 'generations',
      group: `attribution-${topics.prefix}`,
      internalTokens: ['test-internal-token'],
      fold: (facts, context) => {
        if (facts.some(({ event }) => poisoned.has(event.newUser.id))) throw new Error('poison');
        return foldUser(facts, context);
      },
    };
    processes.push(await startProcess());
  });

  after(async () => {
    await Promise.all(processes.map((process) => process.stop()));
    await appender.stop();
    await database.drop();
  });

  it('puts the decision on the log under the key of its referrer, code before event or after', async () => {
    await append({ topic: 'catalog', record: revision() });
    await append({ topic: 'codes', record: code() });
    await append({ topic: 'events', record: purchase(1) });
    await append({ topic: 'events', record: purchase(2, { ucc: 'late' }) });
    await eventually(async () => expect(await outcomes(1, 2)).to.eql(['attributed', 'waiting']), {
      deadlineMs: 40_000,
    });
    await append({ topic: 'codes', record: code({ ucc: 'late' }) });
    await eventually(async () => expect(await outcomes(2)).to.eql(['attributed']));
    expect((await current()).get(eventIdOf(1))).to.include({ referrerId: 'anna' });
    const decisions = (await scan()).filter(({ value: { eventId } }) =>
      [eventIdOf(1), eventIdOf(2)].includes(eventId),
    );
    for (const { key, value } of decisions) {
      // While there is no referrer, it is the new user's.
      const recipient = value.outcome === 'attributed' ? 'anna' : value.newUserId;
      expect(key).to.equal(recordKey('t1', recipient));
    }
    expect(decisions.map(({ key }) => key)).to.include(recordKey('t1', 'anna'));
  });

  it('goes on past a user whose fold throws, and decides it when it no longer does (design 6)', async () => {
    poisoned.add('ill');
    await append({ topic: 'events', record: purchase(11, { userId: 'ill' }) });
    await append({ topic: 'events', record: purchase(12) });
    await eventually(async () =>
      expect(await outcomes(11, 12)).to.deep.equal(['undecided', 'attributed']),
    );
    await eventually(async () =>
      expect(await metrics()).to.match(/attribution_decisions_undecided\{.*\} 1/),
    );
    poisoned.delete('ill');
    await eventually(async () => expect(await outcomes(11)).to.deep.equal(['attributed']), {
      deadlineMs: 20_000,
    });
  });

  it('comes with two processes, shuffled, duplicated and restarted, to the fold from scratch (promise 4)', async () => {
    const events = Array.from({ length: 600 }, (_, i) =>
      purchase(1_000 + i, {
        tenantId: 't9',
        invoiceId: `inv_${(i * 7) % 200}`,
        userId: `user_${(i * 13) % 150}`,
        ucc: `code_${(i * 3) % 20}`,
        source: i % 3 === 0 ? 'legacy' : 'v2',
        occurredAt: `2026-03-${10 + (i % 10)}T10:00:00.${(i * 997) % 1000}Z`,
      }),
    );
    const codes = Array.from({ length: 18 }, (_, i) =>
      code({ tenantId: 't9', ucc: `code_${i}`, productUserId: `user_${i}` }),
    );
    const revisions = [
      revision({ tenantId: 't9' }),
      revision({ tenantId: 't9', revision: 2, effectiveFrom: '2026-03-15T00:00:00.000Z' }),
      revision({
        tenantId: 't9',
        revision: 3,
        status: 'stopped',
        effectiveFrom: '2026-03-18T10:00:00.000Z',
      }),
    ];
    const arrivals: Arrival[] = [
      ...events.map((record): Arrival => ({ topic: 'events', record })),
      ...events.slice(0, 100).map((record): Arrival => ({ topic: 'events', record })),
      ...codes.map((record): Arrival => ({ topic: 'codes', record })),
      ...revisions.map((record): Arrival => ({ topic: 'catalog', record })),
    ];
    const shuffled = arrivals.map((_, i) => arrivals[(i * 317) % arrivals.length]!);
    processes.push(await startProcess());
    for (let i = 0; i < shuffled.length; i += 60) {
      await append(...shuffled.slice(i, i + 60));
      if (i === 300) {
        await processes.shift()?.stop();
        processes.push(await startProcess());
      }
    }
    const expected = decideFromScratch({ events, codes, revisions });
    await eventually(
      async () => {
        const decided = [...(await current()).values()].filter((d) => d.tenantId === 't9');
        expect(decided.map(withoutVersion).sort(byEvent)).to.deep.equal(expected);
      },
      { deadlineMs: 40_000, everyMs: 500 },
    );
  });

  it('is ready when Kafka, Postgres and its own parts are, and counts decisions by outcome', async () => {
    const process = processes[0]!;
    await eventually(async () => {
      const ready = await fetch(`${process.url}/readyz?all`);
      const body = (await ready.json()) as { checks: object };
      expect(ready.status, JSON.stringify(body)).to.equal(200);
      expect(body.checks).to.have.all.keys(
        'generations',
        'kafka',
        'kafka-rights',
        'projection',
        'outbox',
        'postgres',
      );
    });
    expect((await fetch(`${process.url}/healthz`)).status).to.equal(200);
    const text = await metrics();
    expect(text).to.match(/attribution_decisions_waiting\{.*\} \d+/);
    expect(text).to.include('tributary_attribution_batch_duration_seconds_bucket');
    expect(text).not.to.match(/user_\d|anna/);
  });

  async function startProcess() {
    const stops: (() => Promise<void> | void)[] = [];
    const { adminPort } = await startAttribution(settings, {
      logger,
      onStop: (_name, stop) => void stops.push(stop),
    });
    return {
      url: `http://127.0.0.1:${adminPort}`,
      async stop() {
        for (const stop of stops.reverse()) await stop();
      },
    };
  }

  async function append(...arrivals: Arrival[]): Promise<void> {
    await appender.append(
      arrivals.map((arrival) => ({ topic: nameOf(arrival.topic), ...wireOf(arrival) })),
    );
  }

  async function metrics(): Promise<string> {
    const texts = await Promise.all(
      processes.map(async ({ url }) => (await fetch(`${url}/metrics`)).text()),
    );
    return texts.join('\n');
  }

  async function scan(): Promise<{ key: string; value: DecisionRecord }[]> {
    const found: { key: string; value: DecisionRecord }[] = [];
    await scanTopic({
      kafka,
      logger,
      topic: nameOf('attributions'),
      codec: decisionCodec,
      onRecord: ({ key, value }) => void (value && found.push({ key, value })),
    });
    return found;
  }

  /** The highest version of each decision on the log, by event. */
  async function current(): Promise<Map<string, DecisionRecord>> {
    const highest = new Map<string, DecisionRecord>();
    for (const { value } of await scan()) {
      const known = highest.get(value.eventId);
      if (!known || value.version > known.version) highest.set(value.eventId, value);
    }
    return highest;
  }

  async function outcomes(...numbers: number[]): Promise<(string | undefined)[]> {
    const decisions = await current();
    return numbers.map((n) => decisions.get(eventIdOf(n))?.outcome);
  }
});

function wireOf({ topic, record }: Arrival): { key: string; value: string } {
  const { tenantId } = record;
  switch (topic) {
    case 'events':
      return { key: recordKey(tenantId, record.newUser.id), value: eventCodec.encode(record) };
    case 'codes':
      return { key: recordKey(tenantId, record.ucc), value: codeCodec.encode(record) };
    case 'catalog':
      return { key: recordKey(tenantId), value: catalogCodec.encode(record) };
    default:
      return topic satisfies never;
  }
}

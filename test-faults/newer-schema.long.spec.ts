import { readFileSync } from 'node:fs';
import { codecOfTopic } from '@tributary/contracts/codec-of-topic';
import { type Topic, topicName, topicPartitions, topics } from '@tributary/contracts/topics';
import { type Appender, createAppender } from '@tributary/event-log/appender';
import { partitionOf } from '@tributary/event-log/partitioner';
import { connectTo, silentLogger } from '@tributary/event-log/testing';
import { readWatermarks } from '@tributary/event-log/watermarks';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import type { ServiceName } from '../deploy/local/service-table.ts';
import type { Stack } from '../deploy/local/stack.ts';
import { startThrowawayStack } from '../deploy/local/throwaway-stack.ts';
import { countRecords, wiring } from './read-log.ts';

/**
 * A record of a version that is not deployed yet is somebody's accepted fact: whoever reads it
 * stops before it and says where it is and what to do; nobody parks it or guesses (design 6).
 */
describe('a record newer than its readers', function () {
  this.timeout(120_000);
  let stack: Stack;
  let appender: Appender;

  before(async () => {
    stack = await startThrowawayStack();
    appender = createAppender({
      kafka: connectTo(stack.demo),
      logger: silentLogger,
      deadlineMs: 30_000,
    });
    await appender.start();
    await eventually(() => expect(appender.health().ok).to.equal(true));
  });
  after(async () => {
    await appender?.stop();
    await stack?.stop();
  });

  const all: ServiceName[] = [
    ...(['ingest-api', 'legacy-events', 'processor-events', 'attribution', 'rewards'] as const),
    ...(['webhook-dispatcher', 'widget', 'portal'] as const),
  ];
  // The audit topic has no reader of ours.
  const readersOf: Record<Exclude<Topic, 'audit'>, readonly ServiceName[]> = {
    events: ['attribution', 'portal'],
    people: ['widget', 'portal'],
    codes: ['attribution', 'ingest-api', 'widget', 'portal'],
    attributions: ['rewards', 'widget', 'portal'],
    rewards: ['widget', 'portal'],
    issuances: ['rewards', 'webhook-dispatcher', 'portal'],
    deliveries: ['webhook-dispatcher', 'portal'],
    processor: ['processor-events'],
    deadLetters: ['portal'],
    refusals: ['portal'],
    // The last one: nothing can be set up any more.
    catalog: all,
  };

  for (const topic of Object.keys(readersOf) as (keyof typeof readersOf)[]) {
    it(`on ${topics[topic].name} stops ${readersOf[topic].join(', ')}, each with an alert`, async () => {
      const name = topicName(topic, wiring);
      const key = 'newer:than-its-readers';
      const partition = partitionOf(name, key, topicPartitions);
      const newer = codecOfTopic[topic].schemaVersion + 1;
      const put = await appendedAt(name, partition, () =>
        appender.append([{ topic: name, key, value: JSON.stringify({ schemaVersion: newer }) }]),
      );
      for (const service of readersOf[topic]) {
        const alert = await alertOf(service, `${name}/${partition}`);
        expect(alert, service).to.include({ level: 'error' });
        expect(alert.message, service)
          .to.match(new RegExp(`offset ${put} has .*schemaVersion ${newer}\\b`))
          .and.contain('deploy a newer version');
      }
    });
  }

  it('is never put aside', async () => {
    // The one on the topic itself.
    expect(await countRecords(stack.demo, 'deadLetters')).to.equal(1);
  });

  /** The offset of what `append` appended; on these partitions nothing else happens. */
  async function appendedAt(
    topic: string,
    partition: number,
    append: () => Promise<void>,
  ): Promise<bigint> {
    await append();
    const ends = await readWatermarks(connectTo(stack.demo), [topic]);
    return ends.get(`${topic}/${partition}`)!.high - 1n;
  }

  async function alertOf(service: ServiceName, place: string) {
    const { logFile } = stack.services[service].replicas[0]!;
    return eventually(
      () => {
        const lines = readFileSync(logFile, 'utf8').split('\n');
        const line = lines.find((text) => text.includes('alert: ') && text.includes(place));
        if (line === undefined) throw new Error(`${service} has no alert about ${place}`);
        return JSON.parse(line) as { level: string; message: string };
      },
      { deadlineMs: 20_000 },
    );
  }
});

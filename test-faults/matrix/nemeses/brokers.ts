import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { topics } from '@tributary/contracts/topics';
import { connectTo } from '@tributary/event-log/testing';
import { readWatermarks } from '@tributary/event-log/watermarks';
import type { KafkaServer } from '@tributary/native-servers/kafka';
import { cutLastBatch } from '@tributary/testkit/cut-log';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { acceptedAnew, aMoment, underWay } from './load.ts';
import type { Battlefield, Nemesis } from './nemesis.ts';

/**
 * Faults of a cluster of three brokers that keeps each record on all of them, and acknowledges it
 * when two have it. The first one is its only controller and stays.
 */
const stack = { brokers: 3 };
const controllerId = 1;
const awayMs = 4_000;

export const killBrokers: Nemesis = {
  name: 'kill-brokers',
  says: 'SIGKILL of two of three brokers under load, one after the other: leaders and followers',
  stack,
  async run(field) {
    for (const [i, broker] of field.stack.servers.moreKafka.entries()) {
      await untilInSync(field);
      const role = await roleOf(field, i + 2);
      const hit = await killUnderLoad(field, broker);
      await untilLedByOthers(field, [i + 2]);
      field.fired(`broker ${i + 2} is gone, which ${role}; others lead all, ${hit}`);
      await delay(awayMs);
      field.undoing();
      await broker.restart();
    }
  },
};

export const cutBroker: Nemesis = {
  name: 'cut-broker',
  says: 'a broker of three is killed, comes back without its last records, and has to lead',
  stack,
  async run(field) {
    const [second, third] = field.stack.servers.moreKafka as [KafkaServer, KafkaServer];
    await untilInSync(field);
    const written = await writtenPartitions(field);
    const hit = await killUnderLoad(field, second);
    await untilLedByOthers(field, [2]);
    let cut = 0;
    for (const partition of written) {
      cut += await cutLastBatch(filesOf(second), partition);
    }
    expect(cut, 'records that were cut').to.be.greaterThan(0);
    field.fired(`broker 2 is gone, and ${cut} records of its own logs, ${hit}`);
    await second.restart();
    await untilInSync(field);
    await killUnderLoad(field, third);
    await untilLedByOthers(field, [3]);
    const role = await roleOf(field, 2);
    field.fired(`broker 3 is gone, and broker 2 ${role}`);
    await delay(awayMs);
    field.undoing();
    await third.restart();
  },
};

export const tooFewBrokers: Nemesis = {
  name: 'too-few-brokers',
  says: 'SIGKILL of two of three brokers at once: nothing can be kept by two, or acknowledged',
  stack,
  async run(field) {
    const { moreKafka } = field.stack.servers;
    await untilInSync(field);
    const hit = await killUnderLoad(field, ...moreKafka);
    await untilLedByOthers(field, [2, 3]);
    const since = new Date().toISOString();
    await delay(2 * awayMs);
    const accepted = acceptedAnew(field, since);
    expect(accepted, 'requests accepted when one broker alone was there').to.have.length(0);
    field.fired(`brokers 2 and 3 are gone, and nothing new was accepted, ${hit}`);
    field.undoing();
    await Promise.all(moreKafka.map((broker) => broker.restart()));
  },
};

/** All at once. */
async function killUnderLoad(field: Battlefield, ...brokers: KafkaServer[]): Promise<string> {
  await aMoment(field);
  const hit = await underWay(field);
  if (hit === undefined) throw new Error('a broker was to be killed, and there was no load');
  field.doing();
  await Promise.all(brokers.map((broker) => broker.kill()));
  return hit;
}

type Partition = { topic: string; partition: number; leader: number; isr: number[] };

async function readPartitions({ stack: { kafka } }: Battlefield): Promise<Partition[]> {
  const admin = connectTo(kafka).client.admin();
  await admin.connect();
  try {
    const found = await admin.fetchTopicMetadata();
    return found.topics.flatMap(({ name: topic, partitions }) =>
      partitions.map(({ partitionId: partition, leader, isr }) => ({
        ...{ topic, partition, leader, isr },
      })),
    );
  } finally {
    await admin.disconnect();
  }
}

/** Every partition is on all three. */
async function untilInSync(field: Battlefield): Promise<void> {
  await eventually(
    async () => {
      const partitions = await readPartitions(field);
      const behind = partitions.filter(({ isr }) => isr.length < stack.brokers);
      expect(behind, 'partitions that not all brokers have').to.deep.equal([]);
    },
    { deadlineMs: 60_000, everyMs: 250 },
  );
}

async function untilLedByOthers(field: Battlefield, gone: readonly number[]): Promise<void> {
  await eventually(
    async () => {
      const partitions = await readPartitions(field);
      const left = partitions.filter(
        ({ leader }) => leader < controllerId || gone.includes(leader),
      );
      expect(left, 'partitions that nobody leads').to.deep.equal([]);
    },
    { deadlineMs: 60_000, everyMs: 250 },
  );
}

async function roleOf(field: Battlefield, nodeId: number): Promise<string> {
  const partitions = await readPartitions(field);
  const led = partitions.filter(({ leader }) => leader === nodeId).length;
  if (led === 0) throw new Error(`broker ${nodeId} leads no partition`);
  return `leads ${led} partitions and follows in ${partitions.length - led}`;
}

/** Those of the topic that customers' events are accepted onto. */
async function writtenPartitions({ stack: { kafka } }: Battlefield) {
  const topic = topics.events.name;
  const marks = await readWatermarks(connectTo(kafka), [topic]);
  return [...marks]
    .filter(([, { low, high }]) => high > low)
    .map(([name]) => ({ topic, partition: Number(name.split('/').at(-1)) }));
}

/** What is below the data directory of a broker that is down. */
export function filesOf({ dir }: KafkaServer) {
  const at = (path: string) => join(dir, 'data', path);
  return {
    readData: (path: string) => readFile(at(path)),
    writeData: (path: string, content: Buffer) => writeFile(at(path), content),
  };
}

import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { createAppender } from '@tributary/event-log/appender';
import { connectTo, silentLogger } from '@tributary/event-log/testing';
import { addPartitions, countPartitions } from '@tributary/event-log/topic-admin';
import { readWatermarks } from '@tributary/event-log/watermarks';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { type Topic, topics as topicTable } from '@tributary/contracts/topics';
import { aMoment } from './load.ts';
import type { Nemesis } from './nemesis.ts';

/** What no reader of these topics can take for a record; each is put aside, and nothing waits. */
const poisonOf: Record<string, (mark: string) => string> = {
  'bad JSON': (mark) => `{"schemaVersion":1,"poison":"${mark}",`,
  'no record of this schema': (mark) => JSON.stringify({ schemaVersion: 1, poison: mark }),
  'a version that is none': (mark) => JSON.stringify({ schemaVersion: 'x', poison: mark }),
  'a NUL and half a surrogate': (mark) =>
    `{"schemaVersion":1,"ucc":"\\u0000\\ud800","poison":"${mark}"}`,
  '900 kB of garbage': (mark) => `${mark} `.repeat(Math.floor(900_000 / (mark.length + 1))),
};

const poisoned = [
  topicTable.events.name,
  topicTable.attributions.name,
  topicTable.issuances.name,
  topicTable.codes.name,
] as const;

export const poisonLog: Nemesis = {
  name: 'poison',
  says: 'records that keep no contract, on the topics that services read',
  async run(field) {
    const { stack, random, poison, fired } = field;
    const appender = createAppender({
      kafka: connectTo(stack.kafka),
      ...{ logger: silentLogger, deadlineMs: 30_000 },
    });
    await appender.start();
    try {
      await eventually(() => expect(appender.health().ok).to.equal(true), { deadlineMs: 30_000 });
      for (const topic of poisoned) {
        for (const [what, make] of Object.entries(poisonOf)) {
          await delay(random.below(500));
          const mark = createHash('sha256').update(`${topic} ${what}`).digest('hex');
          // Under a key of a user that is there: what comes after it must not wait for it.
          const key = `demo-acme:mx.demo-acme.u${1 + random.below(5)}`;
          const value = make(mark);
          await appender.append([{ topic, key, value }]);
          poison.push({ topic, value });
          fired(`${what} appended to ${topic}`);
        }
      }
    } finally {
      await appender.stop();
    }
  },
};

/** What the folds read and write, keyed by people; the rest by version. */
const grown: readonly Topic[] = ['events', 'codes', 'attributions', 'rewards', 'issuances'];
/** A consumer looks every minute; then its group is balanced. */
const noticedMs = 90_000;

export const addsPartitions: Nemesis = {
  name: 'add-partitions',
  says: 'topics get twice as many partitions under load, and nobody is restarted',
  async run(field) {
    const { stack, fired } = field;
    const kafka = connectTo(stack.kafka);
    await aMoment(field);
    field.doing();
    for (const topic of grown) {
      const { name } = topicTable[topic];
      await addPartitions(kafka, name, 2 * (await countPartitions(kafka, name)));
    }
    const { name } = topicTable.events;
    const deadline = performance.now() + noticedMs;
    for (;;) {
      const ends = await readWatermarks(kafka, [name]);
      const added = [...ends].filter(([at]) => Number(at.split('/')[1]) >= ends.size / 2);
      const filled = added.filter(([, { high }]) => high > 0n);
      if (filled.length > added.length / 2) {
        return fired(`${filled.length} of ${added.length} new partitions of ${name} have events`);
      }
      if (performance.now() > deadline) return;
      await delay(500);
    }
  },
};

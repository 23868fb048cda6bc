import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { connectTo, replaceTopicSettings } from '@tributary/event-log/testing';
import { type TopicSpec, topicSpecs } from '@tributary/event-log/topic-admin';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { readLogs } from '../collect.ts';
import { aMoment, underWay } from './load.ts';
import type { Battlefield, Nemesis } from './nemesis.ts';

/** Compressed, some of their records are smaller and some larger, others only together. */
const bytes = 400;
/** What callers write, and what services write for each other. */
const limited = topicSpecs({ prefix: '', generation: 1, replication: 1, minInsync: 1 }, [
  'events',
  'attributions',
  'rewards',
  'issuances',
]);

export const bigRecord: Nemesis = {
  name: 'big-record',
  says: `brokers take no more than ${bytes} bytes at once on four topics`,
  async run(field) {
    await aMoment(field);
    const since = new Date().toISOString();
    const hit = await underWay(field);
    field.doing();
    try {
      await limit(field, { 'max.message.bytes': String(bytes) });
      await eventually(() => expect(refusalsOf(field), 'refusals').to.not.be.empty, {
        deadlineMs: 30_000,
        everyMs: 500,
      });
      await delay(field.windowMs);
    } finally {
      field.undoing();
      await limit(field, {});
    }
    const refused = [...refusalsOf(field)].map(([name, n]) => `${name} ${n}`);
    const unaccepted = field.client.requests.filter(
      ({ sentAt, status }) => sentAt > since && status === 503,
    ).length;
    if (refused.length > 0 && unaccepted > 0 && hit !== undefined) {
      field.fired(
        `brokers refused what was too large, in the logs of ${refused.join(', ')}; ` +
          `${unaccepted} requests were answered 503, ${hit}`,
      );
    }
  },
};

async function limit(field: Battlefield, more: Record<string, string>): Promise<void> {
  const kafka = connectTo(field.stack.kafka);
  const set = ({ topic, settings }: TopicSpec) =>
    replaceTopicSettings(kafka, topic, { ...settings, ...more });
  for (const topic of limited) await eventually(() => set(topic), { deadlineMs: 30_000 });
}

/** Lines of processes that tell of it, by file. */
function refusalsOf({ stack }: Battlefield): Map<string, number> {
  const logs = readLogs(dirname(stack.services['ingest-api'].replicas[0]!.logFile));
  const counts = Object.entries(logs).map(([file, text]): [string, number] => [
    file.replace(/\.log$/, ''),
    text.split('larger than the max message size').length - 1,
  ]);
  return new Map(counts.filter(([, n]) => n > 0));
}

import { setTimeout as delay } from 'node:timers/promises';
import { decisionCodec } from '@tributary/contracts/decision-record';
import { eventCodec } from '@tributary/contracts/event-record';
import type { Codec } from '@tributary/contracts/record';
import { scanTopic } from '@tributary/event-log/scan-topic';
import { silentLogger } from '@tributary/event-log/testing';
import type { Topics } from '../../test-faults/chain/topics.ts';
import { percentile } from '../report.ts';
import type { Workload } from './workload.ts';

export type LiveTimes = { what: string; events: number; p50: number; p99: number };

const perSecond = 200;
const aloneMs = 10_000;

/**
 * From an event's place on the log to its decision's, in ms, while 200 events a second come to the
 * live generation: by itself, and while the next one is built.
 */
export async function measureLiveTimes(options: {
  topics: Topics;
  /** Which are on the log already are not sent again. */
  events: Workload['events'];
  /** Registers the next generation, and resolves when it has read the history. */
  build: () => Promise<unknown>;
  /** Resolves when the live one has decided everything. */
  settled: () => Promise<unknown>;
}): Promise<LiveTimes[]> {
  const { topics, events, build, settled } = options;
  const flow = beginFlow(events, (some) => topics.append(some));
  await delay(aloneMs);
  const alone = flow.sent();
  await build();
  const beside = flow.sent().slice(alone.length);
  await flow.stop();
  await settled();
  const appended = await firstTimes(topics, 'events', eventCodec);
  const decided = await firstTimes(topics, 'attributions', decisionCodec);
  const timesOf = (what: string, ids: readonly string[]) => {
    const ms = ids.map((id) => (decided.get(id) ?? NaN) - (appended.get(id) ?? NaN));
    if (ms.some(Number.isNaN)) throw new Error(`${what}: an event was not decided`);
    return { what, events: ids.length, p50: percentile(ms, 50), p99: percentile(ms, 99) };
  };
  return [timesOf('live alone', alone), timesOf('live beside a rebuild', beside)];
}

/** Each id once, a few at a time. */
function beginFlow(
  events: Workload['events'],
  append: (events: Workload['events']) => Promise<void>,
) {
  const sent: string[] = [];
  let going = true;
  const flowing = (async () => {
    const startedAt = performance.now();
    const atOnce = 10;
    for (let i = 0; i < events.length && going; i += atOnce) {
      const some = events.slice(i, i + atOnce);
      await append(some);
      sent.push(...some.map(({ eventId }) => eventId));
      const ahead = (i / perSecond) * 1_000 - (performance.now() - startedAt);
      if (ahead > 0) await delay(ahead);
    }
  })();
  return {
    sent: () => [...sent],
    async stop() {
      going = false;
      await flowing;
    },
  };
}

/** When the first record about each event was appended, by the broker's clock. */
async function firstTimes<T extends { eventId: string }>(
  topics: Topics,
  topic: 'events' | 'attributions',
  codec: Codec<T>,
): Promise<Map<string, number>> {
  const times = new Map<string, number>();
  await scanTopic({
    kafka: topics.kafka,
    logger: silentLogger,
    topic: topics.nameOf(topic),
    codec,
    onRecord({ value, timestampMs }) {
      if (value === null) return;
      times.set(value.eventId, Math.min(timestampMs, times.get(value.eventId) ?? Infinity));
    },
  });
  return times;
}

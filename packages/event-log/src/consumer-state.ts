import type { GaugeRow, Gauges } from '@tributary/runtime/component';
import { sharedLook } from '@tributary/runtime/shared-look';
import type pg from 'pg';
import type { KafkaConnection } from './kafka.ts';
import { readPositions, readStopped, topicOfPartition } from './position.ts';
import { createEndReader, type Ends } from './read-ends.ts';

/** How far a consumer group is with a topic, whichever processes are in it. */
export type TopicState = {
  topic: string;
  /** Records on the log that are not applied; what has expired is not counted. */
  lag: number;
  /** Partitions that somebody has to repair before they are read further. */
  stopped: number;
};

/** A consumer group of this process, as its metrics name it. */
export type Consumer = {
  group: string;
  /** Undefined: what it makes is the same for all generations of the folds. */
  generation: number | undefined;
  /** Whether its generation is the live one; true of what has none. */
  isLive: boolean;
  read: () => Promise<readonly TopicState[]>;
};

/**
 * Reads the state from the positions in the database, which all processes of the group share, and
 * from the ends of the log. So each process gives the same numbers, also of partitions that another
 * process holds, or that nobody holds while the group changes its members.
 */
export function createStateReader(options: {
  kafka: KafkaConnection;
  pool: pg.Pool;
  /** Name of the projection. */
  name: string;
  topics: readonly string[];
}): { read(): Promise<TopicState[]>; stop(): void } {
  const { kafka, pool, name, topics } = options;
  const ends = createEndReader({ kafka, topics, timeoutMs: 1_500 });
  const read = async () => {
    // The ends first: what is read after them can only be nearer.
    const marks = await ends.read();
    const positions = await readPositions(pool, name);
    const stopped = await readStopped(pool, name);
    return topics.map((topic) => ({
      topic,
      lag: unreadRecords(marks, positions, topic),
      stopped: [...stopped].filter((at) => topicOfPartition(at) === topic).length,
    }));
  };
  return { read: sharedLook(read), stop: () => ends.stop() };
}

/** In one topic, or in all that there are ends of. Below `low` there is nothing left to read. */
export function unreadRecords(
  ends: Ends,
  positions: ReadonlyMap<string, bigint>,
  topic?: string,
): number {
  let records = 0n;
  for (const [at, { low, high }] of ends) {
    if (topic !== undefined && topicOfPartition(at) !== topic) continue;
    const next = positions.get(at) ?? 0n;
    const from = next > low ? next : low;
    if (high > from) records += high - from;
  }
  return Number(records);
}

/** One that cannot be read has no lines, and takes none from the others. */
export function consumerGauges(consumers: () => readonly Consumer[]): Gauges {
  const rowsOf = async (
    { group, generation, isLive, read }: Consumer,
    valueOf: (state: TopicState) => number,
  ): Promise<GaugeRow[]> => {
    const states = await read().catch(() => []);
    const consumer = { group, generation: String(generation ?? ''), live: String(isLive) };
    return states.map((state) => ({
      labels: { ...consumer, topic: state.topic },
      value: valueOf(state),
    }));
  };
  const gauge = (help: string, valueOf: (state: TopicState) => number) => ({
    help: `${help} Every replica of the group gives the number of the whole group; use max.`,
    labels: ['group', 'topic', 'generation', 'live'],
    read: async () => {
      const rows = await Promise.all(consumers().map((each) => rowsOf(each, valueOf)));
      return rows.flat();
    },
  });
  return {
    tributary_consumer_lag: gauge('Records on the log that are not applied.', ({ lag }) => lag),
    tributary_consumer_stopped_partitions: gauge(
      'Partitions that are not read further until somebody repairs them.',
      ({ stopped }) => stopped,
    ),
    tributary_consumer_live_lag: {
      help:
        'Records on the log that are not applied, over all topics; live generation only. Every ' +
        'replica of the group gives the number of the whole group; use max.',
      labels: ['group'],
      read: async () => {
        const live = consumers().filter(({ isLive }) => isLive);
        const rows = live.map(async ({ group, read }) => {
          const states = await read();
          return { labels: { group }, value: states.reduce((sum, { lag }) => sum + lag, 0) };
        });
        // A sum that lacks a part would be taken for the whole.
        const settled = await Promise.allSettled(rows);
        return settled.flatMap((row) => (row.status === 'fulfilled' ? [row.value] : []));
      },
    },
  };
}

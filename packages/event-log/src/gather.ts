import { type Batcher, createBatcher } from '@tributary/runtime/batcher';
import type { Entry } from './appender.ts';
import type { Ticket } from './ticket-book.ts';

export type Gathered = { entry: Entry; ticket: Ticket; partition: number };

/**
 * kafkajs sends one batch per partition per request and the broker refuses a batch over 1 MiB, so
 * a gather takes at most this much of one partition; the rest waits for the next gather.
 */
export const maxPartitionBytes = 768 * 1024;

/**
 * Beside gathers under way another one goes while they hold few records, so that nobody waits for
 * an answer of the brokers that is not theirs; or with many, since more would only make it larger.
 * Between the two a gather grows: what a request and a batch of each partition cost, compression
 * above all, is then shared by more records.
 */
const fewUnderWay = 16;
const enoughForAnother = 64;

/** Collects records for a moment and hands them over in gathers, a few under way at a time. */
export function createGatherer(options: {
  gatherMs: number;
  maxGatherRecords: number;
  flush: (gathered: readonly Gathered[]) => Promise<void>;
  isLive: (record: Gathered) => boolean;
}): Batcher<Gathered> {
  const { gatherMs, maxGatherRecords, flush, isLive } = options;
  let underWay = 0;
  return createBatcher({
    take: (waiting) => takeGather(waiting.filter(isLive), maxGatherRecords),
    async send(gathered) {
      underWay += gathered.length;
      await flush(gathered).finally(() => (underWay -= gathered.length));
    },
    gatherMs,
    enoughItems: maxGatherRecords,
    maxUnderWay: 4,
    worthAnother: ({ length }) => underWay < fewUnderWay || length >= enoughForAnother,
    nextAtOnce: true,
  });
}

/** Splits off the next gather: in order, within the limits of records and bytes per partition. */
export function takeGather(
  queue: readonly Gathered[],
  maxRecords: number,
): { taken: Gathered[]; rest: Gathered[] } {
  const taken: Gathered[] = [];
  const rest: Gathered[] = [];
  const bytes = new Map<string, number>();
  for (const record of queue) {
    const name = partitionName(record);
    const total = (bytes.get(name) ?? 0) + bytesOf(record.entry);
    const fits = taken.length < maxRecords && (total <= maxPartitionBytes || !bytes.has(name));
    // Once a partition is full it stays full for this gather, or its records would change order.
    bytes.set(name, fits ? total : Infinity);
    (fits ? taken : rest).push(record);
  }
  return { taken, rest };
}

export function partitionName({ entry, partition }: Gathered): string {
  return `${entry.topic}/${partition}`;
}

/** Upper bound of a record's size on the wire. */
function bytesOf({ key, value, headers }: Entry): number {
  const fixed = headers ? 64 + 256 : 64;
  return fixed + 3 * key.length + (value === null ? 0 : Buffer.byteLength(value));
}

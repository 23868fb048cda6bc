import type { TestServer } from './test-server.ts';

/**
 * Takes the last batch of a partition out of the log of a Kafka that is down, as a disk does that
 * had not kept it yet, or a follower that becomes leader without having had it. At its next start
 * Kafka takes what is left for the whole. Gives the number of records that are gone.
 */
export async function cutLastBatch(
  kafka: Pick<TestServer, 'readData' | 'writeData'>,
  { topic, partition }: { topic: string; partition: number },
): Promise<number> {
  const path = `${topic}-${partition}/00000000000000000000.log`;
  const log = await kafka.readData(path);
  let last = 0;
  for (let at = 0; at < log.length; at += batchSize(log, at)) last = at;
  if (log.length === 0) throw new Error(`${path} holds no batch`);
  await kafka.writeData(path, log.subarray(0, last));
  return log.readInt32BE(last + lastOffsetDeltaAt) + 1;
}

/**
 * Appends copies of batches to the log of a Kafka that is down, as one leaves them that could write
 * a batch and not its index, since its disk was full: it refuses the batch, and gives its offset to
 * what comes next. `which` are the places of the batches in the log, from 0.
 */
export async function repeatBatches(
  kafka: Pick<TestServer, 'readData' | 'writeData'>,
  { topic, partition }: { topic: string; partition: number },
  which: readonly number[],
): Promise<void> {
  const path = `${topic}-${partition}/00000000000000000000.log`;
  const log = await kafka.readData(path);
  const batches: Buffer[] = [];
  for (let at = 0; at < log.length; at += batchSize(log, at)) {
    batches.push(log.subarray(at, at + batchSize(log, at)));
  }
  await kafka.writeData(path, Buffer.concat([log, ...which.map((n) => batches[n]!)]));
}

/** A batch begins with its base offset (8 bytes) and the length of what follows (4 bytes). */
function batchSize(log: Buffer, at: number): number {
  return 12 + log.readInt32BE(at + 8);
}

/** Behind leader epoch (4), magic (1), checksum (4) and attributes (2). */
const lastOffsetDeltaAt = 12 + 11;

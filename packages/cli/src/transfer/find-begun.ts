import { createHash, type Hash } from 'node:crypto';
import type { RawRecord } from '@tributary/event-log/append-raw';
import { readRaw } from '@tributary/event-log/read-raw';
import { TransferFailed } from '../failures.ts';
import type { DeploymentLog } from './find-log.ts';
import { readPackedLines } from './packed-file.ts';
import { type ExportedRecord, fromRecordLine } from './record-line.ts';

/**
 * How far an import of the same export came before, by partition: what is on the topic must be the
 * beginning of what would be written there, record for record to the byte. Records that compaction
 * has taken away since are known by their offsets.
 *
 * @throws {TransferFailed} when the topic holds anything else.
 */
export async function findBegun(options: {
  log: DeploymentLog;
  topic: string;
  file: string;
  ends: ReadonlyMap<number, { low: bigint; high: bigint }>;
  partitionOf: (record: ExportedRecord) => number;
  signal: AbortSignal;
}): Promise<Map<number, bigint>> {
  const { log, topic, file, ends, partitionOf, signal } = options;
  const begun = new Map([...ends].map(([partition, { high }]) => [partition, high]));
  if ([...begun.values()].every((high) => high === 0n)) return begun;

  const found = new Map<number, { hash: Hash; offsets: Set<string> }>();
  const ranges = new Map([...ends].map(([n, { low, high }]) => [n, { from: low, to: high }]));
  await readRaw({
    ...{ kafka: log.kafka, logger: log.logger, topic, ranges, signal },
    onSlice({ partition, records }) {
      const seen = found.get(partition) ?? { hash: createHash('sha256'), offsets: new Set() };
      found.set(partition, seen);
      for (const record of records) {
        add(seen.hash, record);
        seen.offsets.add(record.offset);
      }
    },
  });

  const expected = new Map([...found.keys()].map((n) => [n, createHash('sha256')]));
  const next = new Map<number, bigint>();
  for await (const line of readPackedLines(file)) {
    signal.throwIfAborted();
    const record = fromRecordLine(line);
    const partition = partitionOf(record);
    const offset = next.get(partition) ?? 0n;
    next.set(partition, offset + 1n);
    const offsets = found.get(partition)?.offsets;
    if (offsets?.has(String(offset))) add(expected.get(partition)!, record);
  }
  for (const [partition, { hash }] of found) {
    const isShort = (next.get(partition) ?? 0n) < begun.get(partition)!;
    if (isShort || hash.digest('hex') !== expected.get(partition)!.digest('hex')) {
      throw new TransferFailed(
        `${topic}/${partition} has records that are not of this export. ${emptyOnly}`,
      );
    }
  }
  return begun;
}

export const emptyOnly =
  'An import goes into an empty deployment only: give it topics of its own (TRIBUTARY_TOPIC_PREFIX), or delete those that are there.';

function add(hash: Hash, { key, value }: RawRecord): void {
  for (const bytes of [key, value]) {
    // With its length, or two records could be one.
    hash.update(bytes === null ? 'null:' : `${bytes.length}:`);
    if (bytes !== null) hash.update(bytes);
  }
}

import { join } from 'node:path';
import { maxRawBatchBytes, startRawAppender } from '@tributary/event-log/append-raw';
import type { RawAppender, RawRecord } from '@tributary/event-log/append-raw';
import { groupsReading } from '@tributary/event-log/group-members';
import {
  checkTopics,
  createTopics,
  topicSpecs,
  listTopics,
} from '@tributary/event-log/topic-admin';
import { readWatermarks } from '@tributary/event-log/watermarks';
import { TransferFailed } from '../failures.ts';
import { emptyOnly, findBegun } from './find-begun.ts';
import type { DeploymentLog } from './find-log.ts';
import { type Manifest, type TopicExport, transferOrder } from './manifest.ts';
import { openExport } from './open-export.ts';
import { readPackedLines } from './packed-file.ts';
import { placementOf } from './placement.ts';
import { type ExportedRecord, fromRecordLine } from './record-line.ts';

/**
 * Appends an export to the topics of a deployment in which nothing is yet, and makes the topics
 * that are missing. Its services start afterwards, and derive everything else.
 *
 *   checked ─▶ found empty, or begun by an import of the same ─▶ appended topic by topic ─▶ whole
 *
 * Killed anywhere, the same command goes on: what is on the topics is compared with the export to
 * the byte, and the rest is appended. Effects come before their causes (manifest.ts), so that
 * services which somebody starts too early grant and send nothing again.
 */
export async function importLog(options: {
  log: DeploymentLog;
  directory: string;
  signal: AbortSignal;
  onChecked: (doneBytes: number, leftBytes: number) => void;
  onProgress: (done: number, left: number) => void;
}): Promise<{ manifest: Manifest; appended: number; found: number }> {
  const { log, directory, signal, onChecked, onProgress } = options;
  const manifest = await openExport({ directory, signal, onProgress: onChecked });
  await refuseAtWork(log, signal);
  await refuseOtherRecords(log, manifest);
  await prepareTopics(log, manifest);

  const total = manifest.topics.reduce((sum, { records }) => sum + records, 0);
  const counts = { appended: 0, found: 0 };
  const appender = await startRawAppender(log.kafka);
  try {
    for (const name of transferOrder) {
      const exported = manifest.topics.find(({ topic }) => topic === name);
      if (exported === undefined) continue;
      await importTopic({
        ...{ log, appender, exported, signal },
        file: join(directory, exported.file),
        onRecords: (what, count) => {
          counts[what] += count;
          onProgress(counts.appended + counts.found, total - counts.appended - counts.found);
        },
      });
    }
  } finally {
    await appender.stop().catch(() => undefined);
  }
  await refuseAtWork(log, signal);
  return { manifest, ...counts };
}

async function importTopic(options: {
  log: DeploymentLog;
  appender: RawAppender;
  exported: TopicExport;
  file: string;
  signal: AbortSignal;
  onRecords: (what: 'appended' | 'found', count: number) => void;
}): Promise<void> {
  const { log, appender, exported, file, signal, onRecords } = options;
  const topic = log.nameOf(exported.topic);
  const ends = await endsOf(log, topic);
  const [from, to] = [exported.partitions.length, ends.size];
  const partitionOf = placementOf({ topic, from, to });
  const begun = await findBegun({ log, topic, file, ends, partitionOf, signal });

  const next = new Map<number, bigint>();
  let batches: Batches = new Map();
  let bytes = 0;
  let waiting = 0;
  const flush = async () => {
    signal.throwIfAborted();
    await appender.append(topic, batches);
    onRecords('appended', waiting);
    batches = new Map();
    bytes = waiting = 0;
  };
  for await (const line of readPackedLines(file)) {
    const record = fromRecordLine(line);
    const partition = partitionOf(record);
    const at = next.get(partition) ?? 0n;
    next.set(partition, at + 1n);
    if (at < (begun.get(partition) ?? 0n)) {
      onRecords('found', 1);
      continue;
    }
    const size = sizeOf(record);
    if (bytes + size > maxRawBatchBytes || waiting >= maxBatchRecords) await flush();
    add(batches, partition, at, record);
    bytes += size;
    waiting += 1;
  }
  await flush();
  await expectWhole({ log, exported, topic, next });
}

type Batches = Map<number, { at: bigint; records: RawRecord[] }>;

/** All partitions together stay below what the broker takes of one. */
const maxBatchRecords = 2_000;

function add(batches: Batches, partition: number, at: bigint, { key, value }: RawRecord): void {
  const batch = batches.get(partition);
  if (batch) batch.records.push({ key, value });
  else batches.set(partition, { at, records: [{ key, value }] });
}

function sizeOf({ key, value }: ExportedRecord): number {
  return 64 + (key?.length ?? 0) + (value?.length ?? 0);
}

/** The file had as many lines as the manifest says, and the topic has as many records. */
async function expectWhole(at: {
  log: DeploymentLog;
  exported: TopicExport;
  topic: string;
  next: ReadonlyMap<number, bigint>;
}): Promise<void> {
  const { log, exported, topic, next } = at;
  const written = [...next.values()].reduce((sum, count) => sum + count, 0n);
  if (written !== BigInt(exported.records)) {
    throw new TransferFailed(
      `${exported.file} has ${written} records, the manifest says ${exported.records}.`,
    );
  }
  for (const [partition, { high }] of await endsOf(log, topic)) {
    if (high === (next.get(partition) ?? 0n)) continue;
    throw new TransferFailed(
      `${topic}/${partition} should end at ${next.get(partition) ?? 0n}, it ends at ${high}: somebody else writes to it.`,
    );
  }
}

async function refuseAtWork(log: DeploymentLog, signal: AbortSignal): Promise<void> {
  const own = new Set(log.ownAmong(await listTopics(log.kafka)));
  // A member of an import that was killed a moment ago may still be listed.
  const groups = (await groupsReading(log.kafka, own, signal)).filter(
    (group) => !group.startsWith(`${log.kafka.clientId}-`),
  );
  if (groups.length === 0) return;
  throw new TransferFailed(
    `Services of this deployment are running (consumer groups ${groups.join(', ')}): stop them, and give the same command again.`,
  );
}

/** Topics of this deployment that the export says nothing of must be empty. */
async function refuseOtherRecords(log: DeploymentLog, { topics }: Manifest): Promise<void> {
  const exported = new Set(topics.map(({ topic }) => log.nameOf(topic)));
  const others = log
    .ownAmong(await listTopics(log.kafka))
    .filter((name) => !exported.has(name))
    .sort();
  for (const name of others) {
    const ends = await endsOf(log, name);
    if ([...ends.values()].some(({ high }) => high > 0n)) {
      throw new TransferFailed(`${name} has records: the deployment is not empty. ${emptyOnly}`);
    }
  }
}

/** As the job of a deployment makes them, with at least as many partitions as they had. */
async function prepareTopics(log: DeploymentLog, { topics }: Manifest): Promise<void> {
  const had = new Map(
    topics.map(({ topic, partitions }) => [log.nameOf(topic), partitions.length]),
  );
  const specs = topicSpecs(log.wiring);
  const wanted = specs.map((spec) => ({
    ...spec,
    partitions: Math.max(spec.partitions, had.get(spec.topic) ?? 0),
  }));
  await createTopics({ kafka: log.kafka, topics: wanted, logger: log.logger });
  await checkTopics({ kafka: log.kafka, topics: specs });
}

async function endsOf({ kafka }: DeploymentLog, topic: string) {
  const found = await readWatermarks(kafka, [topic]);
  return new Map([...found].map(([name, ends]) => [Number(name.slice(topic.length + 1)), ends]));
}

import { chmod, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { topics as topicTable } from '@tributary/contracts/topics';
import { groupsReading } from '@tributary/event-log/group-members';
import { listTopics } from '@tributary/event-log/topic-admin';
import { readRaw } from '@tributary/event-log/read-raw';
import { readWatermarks } from '@tributary/event-log/watermarks';
import { TransferFailed } from '../failures.ts';
import type { DeploymentLog } from './find-log.ts';
import {
  cutOrder,
  type Manifest,
  manifestFile,
  type TopicExport,
  type TransferTopic,
  transferOrder,
} from './manifest.ts';
import { writePackedFile } from './packed-file.ts';
import { schemaVersionOf, toRecordLine } from './record-line.ts';

/**
 * Writes what cannot be derived to a directory, which appears when it is whole: everything is first
 * written to a draft beside it, `NAME.draft`, and renamed. A draft that a killed export left is
 * written anew.
 *
 * The deployment may go on working. The ends of the topics are looked up with effects before their
 * causes, so what is exported is the deployment at one moment, in which some of the facts may not
 * have had their effect yet.
 */
export async function exportLog(options: {
  log: DeploymentLog;
  /** Must not exist, or be empty. */
  directory: string;
  /** E-mails and names too. */
  people: boolean;
  now: () => Date;
  signal: AbortSignal;
  onProgress: (done: number, left: number) => void;
}): Promise<Manifest> {
  const { log, directory, people, now, signal, onProgress } = options;
  const startedAt = now().toISOString();
  await refuseTaken(directory);
  const wanted = transferOrder.filter((topic) => people || topic !== 'people');
  await requireTopics(log, wanted);
  const cuts = await cut(log, wanted);
  const names = new Set(wanted.map(log.nameOf));
  const groupsAtWork = await groupsReading(log.kafka, names, signal);

  const draft = join(dirname(directory), `${basename(directory)}.draft`);
  await makeDraft(draft);
  try {
    const total = sum([...cuts.values()].flatMap((ranges) => [...ranges.values()].map(lengthOf)));
    let done = 0;
    const onRecords = (count: number) => onProgress((done += count), Math.max(0, total - done));
    const exported: TopicExport[] = [];
    for (const topic of wanted) {
      const ranges = cuts.get(topic)!;
      exported.push(await exportTopic({ log, draft, topic, ranges, signal, onRecords }));
    }
    const manifest: Manifest = {
      format: 'tributary-export',
      formatVersion: 1,
      startedAt,
      endedAt: now().toISOString(),
      topicPrefix: log.wiring.prefix,
      groupsAtWork,
      topics: exported,
    };
    await writeSynced(join(draft, manifestFile), `${JSON.stringify(manifest, null, 2)}\n`);
    // Replaces an empty directory, and fails over one that was filled meanwhile.
    await rename(draft, directory);
    await syncDirectory(dirname(directory));
    return manifest;
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
}

type Ranges = ReadonlyMap<number, { from: bigint; to: bigint }>;

async function cut(
  { kafka, nameOf }: DeploymentLog,
  wanted: readonly TransferTopic[],
): Promise<Map<TransferTopic, Ranges>> {
  const cuts = new Map<TransferTopic, Ranges>();
  for (const topic of cutOrder.filter((name) => wanted.includes(name))) {
    const ranges = new Map<number, { from: bigint; to: bigint }>();
    for (const [name, { low, high }] of await readWatermarks(kafka, [nameOf(topic)])) {
      if (low > 0n && topicTable[topic].kept === 'for-ever') {
        throw new TransferFailed(
          `${name} begins at offset ${low}: its first records are gone from the log, and what is left is not the whole history.`,
        );
      }
      ranges.set(Number(name.slice(name.lastIndexOf('/') + 1)), { from: low, to: high });
    }
    cuts.set(topic, ranges);
  }
  return cuts;
}

async function exportTopic(options: {
  log: DeploymentLog;
  draft: string;
  topic: TransferTopic;
  ranges: Ranges;
  signal: AbortSignal;
  onRecords: (count: number) => void;
}): Promise<TopicExport> {
  const { log, draft, topic, ranges, signal, onRecords } = options;
  const name = `${topic}.ndjson.gz`;
  const file = writePackedFile(join(draft, name));
  const counts = new Map([...ranges.keys()].map((partition) => [partition, 0]));
  const versions = new Map<string, number>();
  try {
    await readRaw({
      ...{ kafka: log.kafka, logger: log.logger, topic: log.nameOf(topic), ranges, signal },
      async onSlice({ partition, records }) {
        const lines = records.map((record) => toRecordLine({ partition, ...record }));
        await file.write(`${lines.join('\n')}\n`);
        for (const { value } of records) {
          const version = schemaVersionOf(value);
          versions.set(version, (versions.get(version) ?? 0) + 1);
        }
        counts.set(partition, counts.get(partition)! + records.length);
        onRecords(records.length);
      },
    });
    refuseGaps(log.nameOf(topic), topic, ranges, counts);
    const { bytes, sha256 } = await file.close();
    return {
      ...{ topic, file: name, bytes, sha256, records: sum([...counts.values()]) },
      schemaVersions: Object.fromEntries([...versions].sort()),
      partitions: [...ranges].map(([partition, { from, to }]) => ({
        ...{ partition, from: String(from), to: String(to), records: counts.get(partition)! },
      })),
    };
  } catch (error) {
    file.destroy();
    throw error;
  }
}

/** A log that is kept for ever has a record at every offset. */
function refuseGaps(
  name: string,
  topic: TransferTopic,
  ranges: Ranges,
  counts: ReadonlyMap<number, number>,
): void {
  if (topicTable[topic].kept === 'compacted') return;
  for (const [partition, range] of ranges) {
    if (counts.get(partition) === lengthOf(range)) continue;
    throw new TransferFailed(
      `${name}/${partition} should have ${lengthOf(range)} records, ${counts.get(partition)} were read.`,
    );
  }
}

async function requireTopics(log: DeploymentLog, wanted: readonly TransferTopic[]): Promise<void> {
  const there = new Set(await listTopics(log.kafka));
  const missing = wanted.map(log.nameOf).filter((name) => !there.has(name));
  if (missing.length > 0) {
    throw new TransferFailed(`There is no such deployment: no topic ${missing.join(', ')}.`);
  }
}

async function refuseTaken(directory: string): Promise<void> {
  const found = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new TransferFailed(`${directory} cannot be used: ${error.message}.`, { cause: error });
  });
  if (found.length > 0) throw new TransferFailed(`${directory} is there already, and not empty.`);
}

async function makeDraft(draft: string): Promise<void> {
  const found = await readdir(draft).catch(() => []);
  const foreign = found.find((name) => name !== manifestFile && !/^[a-z]+\.ndjson\.gz$/.test(name));
  if (foreign !== undefined) {
    throw new TransferFailed(`${draft} holds ${foreign}, which is no part of an export.`);
  }
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true, mode: 0o700 });
  await chmod(draft, 0o700);
}

async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

function lengthOf({ from, to }: { from: bigint; to: bigint }): number {
  return Number(to - from);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, n) => total + n, 0);
}

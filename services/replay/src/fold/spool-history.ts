import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Positions } from '@tributary/contracts/admin/replay-results';
import { createKafka } from '@tributary/event-log/kafka';
import { readWatermarks } from '@tributary/event-log/watermarks';
import { brokerName, type Shape, spooledTopics } from './cut.ts';
import { readCheckpoint } from './spool/checkpoint.ts';
import { HistoryRefused, type SpoolHistory } from './types.ts';
import { atWork } from './processes/at-work.ts';
import type { Pool } from './processes/pool.ts';

/** The log as it lies in `dir`: what a fold needs to know of it. */
export type Spool = { dir: string; parts: number; shape: Shape; positions: Positions };

/** Reads the log into files, without folding anything; returns up to where it was read. */
export async function spoolHistory(options: SpoolHistory): Promise<Positions> {
  return atWork(options, async (pool, progress) => {
    const { positions } = await completeSpool(options, pool, { progress, refuseNewer: false });
    return positions;
  });
}

/** Reads what is missing up to the given positions, or to the ends. */
export async function completeSpool(
  { dir, log, until, tenantId, logger, signal }: SpoolHistory,
  pool: Pool,
  { progress, refuseNewer }: { progress: SpoolProgress; refuseNewer: boolean },
): Promise<Spool> {
  const spoolDir = join(dir, 'spool');
  const kafka = createKafka({ settings: log.kafka, clientId: 'replay', logger });
  const names = spooledTopics.map((topic) => brokerName(topic, log.prefix));
  const marks = await readWatermarks(kafka, names);
  signal.throwIfAborted();
  const ends = endsOf(marks, until.positions);
  const total = (topic: 'events' | 'codes') =>
    Object.entries(ends)
      .filter(([name]) => name.startsWith(`${brokerName(topic, log.prefix)}/`))
      .reduce((sum, [, end]) => sum + Number(end), 0);
  const manifest = await openManifest(spoolDir, {
    identity: createHash('sha256')
      .update(JSON.stringify([log.prefix, log.kafka.brokers, tenantId ?? null]))
      .digest('hex'),
    parts: pool.pids.length,
    shape: shapeFor(total('events'), total('codes')),
  });
  const { parts, shape } = manifest;

  const known = positionsIn(spoolDir, parts);
  refuseGaps(marks, known, ends);
  const left = Object.entries(ends).map(([name, end]) => Number(end) - Number(known[name] ?? 0));
  const records = left.reduce((sum, n) => sum + Math.max(0, n), 0);
  progress.reading(records);
  if (records > 0) {
    await Promise.all(
      Array.from({ length: parts }, (_, part) => {
        const own = Object.fromEntries(
          Object.entries(ends).filter(([name]) => partOf(name, parts) === part),
        );
        const task = { dir: spoolDir, part, parts, shape, log, tenantId, ends: own, refuseNewer };
        return pool.run({ spool: task });
      }),
    );
  }
  const read = positionsIn(spoolDir, parts);
  const reached = Object.keys(ends).map((name) => [name, minOf(read[name] ?? '0', ends[name]!)]);
  return { dir: spoolDir, parts, shape, positions: Object.fromEntries(reached) as Positions };
}

export type SpoolProgress = { reading(records: number): void };

type Manifest = { identity: string; parts: number; shape: Shape };

/** What was begun for another log or tenant, or by another layout of files, is of no use. */
async function openManifest(dir: string, wanted: Manifest): Promise<Manifest> {
  const path = join(dir, 'manifest.json');
  if (existsSync(path)) {
    const known = JSON.parse(await readFile(path, 'utf8')) as Manifest;
    if (known.identity === wanted.identity) return known;
  }
  await rm(dir, { recursive: true, force: true });
  await mkdir(dir, { recursive: true });
  await writeFile(`${path}.new`, JSON.stringify(wanted));
  await rename(`${path}.new`, path);
  return wanted;
}

/** A shard is what one process folds at a time. The more there are, the less of it is in memory. */
const eventsPerShard = 20_000;
const codesPerBucket = 50_000;
const namesPerBucket = 400_000;

function shapeFor(events: number, codes: number): Shape {
  return {
    shards: Math.max(4, Math.ceil(events / eventsPerShard)),
    buckets: Math.max(1, Math.ceil(codes / codesPerBucket), Math.ceil(events / namesPerBucket)),
  };
}

function endsOf(marks: Marks, positions: Positions | undefined): Record<string, string> {
  return Object.fromEntries(
    [...marks].map(([name, { high }]) => {
      const end = positions ? BigInt(positions[name] ?? 0) : high;
      if (end > high) {
        throw new HistoryRefused(
          `${name} ends at offset ${high}, but was read up to ${end}: this is not the log that the ` +
            'services have read',
        );
      }
      return [name, String(end)];
    }),
  );
}

function refuseGaps(marks: Marks, known: Positions, ends: Positions): void {
  for (const [name, { low }] of marks) {
    const from = BigInt(known[name] ?? 0);
    if (from >= low || from >= BigInt(ends[name] ?? 0)) continue;
    throw new HistoryRefused(
      `${name} begins at offset ${low}: what was before it is gone, so history cannot be folded`,
    );
  }
}

type Marks = ReadonlyMap<string, { low: bigint; high: bigint }>;

function positionsIn(dir: string, parts: number): Positions {
  const all = Array.from({ length: parts }, (_, part) => readCheckpoint(dir, part).next);
  return Object.assign({}, ...all) as Positions;
}

/** Partitions of a topic go round; those that are added later as well. */
function partOf(name: string, parts: number): number {
  return Number(name.slice(name.lastIndexOf('/') + 1)) % parts;
}

function minOf(a: string, b: string): string {
  return BigInt(a) < BigInt(b) ? a : b;
}

import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { HashedSet, TenantHashes } from '@tributary/contracts/admin/replay-results';
import { fromLine } from '@tributary/contracts/state-item';
import { openThreadStream } from '@tributary/runtime/thread-stream';
import { type CompareTask, compareTask } from './compare-task.ts';
import type { HashedLines } from './hash-lines.ts';
import type {
  CompareStates,
  LineDifference,
  LineFile,
  TenantComparison,
} from '../domain/live-state.ts';

/**
 * Compares two states line by line: hashes first, both sides at once; of what is different only the
 * lines in buckets that differ are looked at again, split into parts of which each fits in memory.
 * So time is linear in the lines and memory is bounded, whether one item differs or every one.
 */
export const compareStates: CompareStates = async (options) => {
  const { live, replayed, signal } = options;
  const [ours, theirs] = await Promise.all([
    hashed({ task: 'hash', files: live }, signal),
    hashed({ task: 'hash', files: replayed }, signal),
  ]);
  const tenants = compareTenants(ours.tenants, theirs.tenants);
  const buckets = differingBuckets(ours, theirs);
  const differences = buckets.numbers.length === 0 ? 0 : await reportDifferences(options, buckets);
  return { identical: tenants.every(({ identical }) => identical), tenants, differences };
};

type Buckets = { numbers: number[]; lines: number };
type Options = Parameters<CompareStates>[0];

/** Lines of one part, of both sides together. */
const linesOfPart = 200_000;

async function reportDifferences(options: Options, { numbers, lines }: Buckets): Promise<number> {
  const { live, replayed, signal, onDifference } = options;
  const dir = join(options.dir, 'differences');
  await rm(dir, { recursive: true, force: true });
  await mkdir(dir, { recursive: true });
  let count = 0;
  try {
    const parts = Array.from({ length: Math.ceil(lines / linesOfPart) }, (_, i) => ({
      live: join(dir, `live-${i}`),
      replayed: join(dir, `replayed-${i}`),
    }));
    const split = { task: 'split', buckets: numbers } as const;
    await Promise.all([
      run({ ...split, files: live, parts: parts.map((part) => part.live) }, signal),
      run({ ...split, files: replayed, parts: parts.map((part) => part.replayed) }, signal),
    ]);
    for (const part of parts) {
      for await (const text of chunksOf({ task: 'differ', ...part }, signal)) {
        for (const line of text.split('\n')) {
          if (line === '') continue;
          await onDifference(toDifference(line));
          count += 1;
        }
      }
    }
    return count;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

function toDifference(text: string): LineDifference {
  const [live, replayed] = JSON.parse(text) as [string | null, string | null];
  return {
    live: live === null ? null : fromLine(live),
    replayed: replayed === null ? null : fromLine(replayed),
  } as LineDifference;
}

async function hashed(task: CompareTask, signal: AbortSignal): Promise<HashedLines> {
  return JSON.parse(await run(task, signal)) as HashedLines;
}

async function run(task: CompareTask, signal: AbortSignal): Promise<string> {
  let all = '';
  for await (const text of chunksOf(task, signal)) all += text;
  return all;
}

/** Fewer lines than these take less time than a thread needs to begin. */
const linesForThread = 50_000;

async function* chunksOf(
  task: CompareTask,
  signal: AbortSignal,
): AsyncGenerator<string, void, void> {
  signal.throwIfAborted();
  if (task.task !== 'differ' && linesIn(task.files) > linesForThread) {
    const module = new URL('./compare-thread.ts', import.meta.url);
    for await (const { buffer, byteOffset, length } of openThreadStream(module, task, signal)) {
      yield Buffer.from(buffer, byteOffset, length).toString('utf8');
    }
    return;
  }
  for await (const text of compareTask(task)) {
    signal.throwIfAborted();
    yield text;
  }
}

function linesIn(files: readonly LineFile[]): number {
  return files.reduce((total, { lines }) => total + lines, 0);
}

function differingBuckets({ buckets: a }: HashedLines, { buckets: b }: HashedLines): Buckets {
  const numbers = a.sums.flatMap((sum, i) =>
    sum === b.sums[i] && a.counts[i] === b.counts[i] ? [] : [i],
  );
  const lines = numbers.reduce((total, i) => total + a.counts[i]! + b.counts[i]!, 0);
  return { numbers, lines };
}

function compareTenants(
  ours: readonly TenantHashes[],
  theirs: readonly TenantHashes[],
): (TenantComparison & { identical: boolean })[] {
  const live = new Map(ours.map((hashes) => [hashes.tenantId, hashes]));
  const replayed = new Map(theirs.map((hashes) => [hashes.tenantId, hashes]));
  return [...new Set([...live.keys(), ...replayed.keys()])].sort().map((tenantId) => {
    const a = withoutId(live.get(tenantId));
    const b = withoutId(replayed.get(tenantId));
    const identical =
      isSame(a.decisions, b.decisions) &&
      isSame(a.rewards, b.rewards) &&
      isSame(a.recipients, b.recipients);
    return { tenantId, live: a, replayed: b, identical };
  });
}

const nothing: HashedSet = { count: 0, hash: '0'.repeat(64) };

function withoutId(hashes: TenantHashes | undefined): Omit<TenantHashes, 'tenantId'> {
  const { decisions = nothing, rewards = nothing, recipients = nothing } = hashes ?? {};
  return { decisions, rewards, recipients };
}

function isSame(a: HashedSet, b: HashedSet): boolean {
  return a.count === b.count && a.hash === b.hash;
}

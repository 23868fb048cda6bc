import type { LargeChange, Report } from '@tributary/contracts/admin/replay-results';
import { inTransaction } from '@tributary/runtime/postgres';
import { formatCredits } from '@tributary/rewards-fold/credits';
import { fromLine, type RewardLine } from '@tributary/contracts/state-item';
import type pg from 'pg';
import type { JobContext } from './job-kind.ts';
import { holdAttempt } from '../db/job-rows.ts';
import { compareStates } from '../live/compare-states.ts';
import { readLines } from '../live/read-lines.ts';
import type {
  Comparison,
  DescribeDifferences,
  LineDifference,
  LineFile,
} from '../domain/live-state.ts';
import { type Change, changeOf, entersReview, magnitudeOf } from '../domain/change.ts';
import { deleteChanges, insertChanges } from '../db/change-rows.ts';
import { createFirstOf } from '../domain/first-of.ts';
import { createTally, type Tally } from '../domain/tally.ts';

/** Which of the two sides was before; the other one is after. */
export type Orientation = 'live-first' | 'replayed-first';

export type Sums = Pick<
  Report,
  'counts' | 'credits' | 'byRule' | 'byReferrer' | 'referrers' | 'byMonth' | 'largest'
>;

/**
 * Compares the live state with a folded one: every reward whose credits differ becomes a row of
 * `preview_change`, and all of them the sums of a report. Rows of an earlier attempt are replaced.
 */
export async function writeReport(
  context: JobContext,
  options: {
    pool: pg.Pool;
    live: { files: readonly LineFile[]; generation: number };
    replayed: readonly LineFile[];
    orientation: Orientation;
    describeDifferences: DescribeDifferences;
    replayedItems: Parameters<DescribeDifferences>[0]['replayedItems'];
  },
): Promise<{ comparison: Comparison; sums: Sums }> {
  const { pool, live, replayed, orientation } = options;
  const { dir, signal } = context;
  const oriented = <T>(live: T, replayed: T): [T, T] =>
    orientation === 'live-first' ? [live, replayed] : [replayed, live];
  const tally = createTally();
  const largest = createFirstOf<Found>({ most: largestAtMost, compare: byMagnitude });
  const rows = createRowWriter(pool, context);
  let compared = 0;

  await rows.begin();
  const comparison = await compareStates({
    live: live.files,
    ...{ replayed, dir, signal },
    async onDifference(difference) {
      context.progress({ phase: 'comparing', done: (compared += 1), unit: 'lines that differ' });
      const [was, is] = oriented(rewardOf(difference.live), rewardOf(difference.replayed));
      const change = (was ?? is) && changeOf(was, is);
      if (!change && is && entersReview(was, is)) tally.toReview(is);
      if (!change) return;
      tally.change(change);
      largest.add({ change, difference });
      await rows.add(change);
    },
  });
  await rows.end();
  const [before, after] = oriented(live.files, replayed);
  await sumUp(before, tally.before, signal);
  await sumUp(after, tally.after, signal);

  const explained = await explain(largest.list(), context, options);
  return {
    comparison,
    sums: {
      counts: tally.counts(),
      credits: tally.credits(),
      byRule: tally.byRule(),
      ...tally.byReferrer(referrersAtMost),
      byMonth: tally.byMonth(),
      largest: explained,
    },
  };
}

const largestAtMost = 20;
const referrersAtMost = 100;

type Found = { change: Change; difference: LineDifference };

function rewardOf(line: LineDifference['live']): RewardLine | undefined {
  return line?.kind === 'reward' ? line : undefined;
}

function byMagnitude({ change: a }: Found, { change: b }: Found): number {
  const difference = magnitudeOf(b) - magnitudeOf(a);
  if (difference !== 0n) return difference > 0n ? 1 : -1;
  return a.rewardId < b.rewardId ? -1 : a.rewardId > b.rewardId ? 1 : 0;
}

async function sumUp(
  files: readonly LineFile[],
  add: Tally['before'],
  signal: AbortSignal,
): Promise<void> {
  for await (const lines of readLines(files)) {
    signal.throwIfAborted();
    for (const text of lines) {
      // Decisions may lie in the same file.
      if (!text.startsWith('["r"')) continue;
      const line = fromLine(text);
      if (line.kind === 'reward') add(line);
    }
  }
}

async function explain(
  found: readonly Found[],
  { signal }: JobContext,
  options: Parameters<typeof writeReport>[1],
): Promise<LargeChange[]> {
  if (found.length === 0) return [];
  const { describeDifferences, replayedItems, live, orientation } = options;
  const described = await describeDifferences({
    generation: live.generation,
    differences: found.map(({ difference }) => difference),
    ...{ replayedItems, signal },
  });
  const byId = new Map(described.map((difference) => [difference.id, difference]));
  return found.map(({ change }) => {
    const { liveExplanation = [], replayedExplanation = [] } = byId.get(change.rewardId) ?? {};
    const [explanationBefore, explanationAfter] =
      orientation === 'live-first'
        ? [liveExplanation, replayedExplanation]
        : [replayedExplanation, liveExplanation];
    const { rewardId, kind, tenantId, recipientId, campaignId, ruleId, month } = change;
    return {
      ...{ rewardId, kind, tenantId, recipientId, campaignId, ruleId, month },
      before: formatCredits(change.before),
      after: formatCredits(change.after),
      ...{ explanationBefore, explanationAfter },
    };
  });
}

/** In transactions of a few thousand rows, each only while the job is still this attempt's. */
function createRowWriter(pool: pg.Pool, { jobId, attempt }: JobContext) {
  let waiting: Change[] = [];
  const flush = () =>
    inTransaction(pool, async (tx) => {
      await holdAttempt(tx, { jobId, attempt });
      await insertChanges(tx, jobId, waiting);
      waiting = [];
    });
  return {
    begin: () =>
      inTransaction(pool, async (tx) => {
        await holdAttempt(tx, { jobId, attempt });
        await deleteChanges(tx, jobId);
      }),
    async add(change: Change) {
      waiting.push(change);
      if (waiting.length >= rowsAtOnce) await flush();
    },
    async end() {
      if (waiting.length > 0) await flush();
    },
  };
}

const rowsAtOnce = 2_000;

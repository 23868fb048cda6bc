import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isFoldVersion, newestFoldVersion } from '@tributary/attribution-fold/fold-version';
import type { ItemDetail } from '../domain/live-state.ts';
import { brokerName, type Cut } from './cut.ts';
import { runPhases } from './phases/run-phases.ts';
import type { RunPhase, TaskInput, TaskName, TaskResult } from './phases/tasks.ts';
import { completeSpool, type Spool } from './spool-history.ts';
import type { Tally } from './tally.ts';
import { type FoldedState, type FoldHistory, HistoryRefused } from './types.ts';
import { atWork } from './processes/at-work.ts';
import type { Pool } from './processes/pool.ts';
import type { WorkProgress } from './processes/work-progress.ts';

/**
 * All of history folded to its current state, in memory piece by piece and in several processes:
 * what does not fit lies in files under `dir`. Nothing is written to the log or a database.
 */
export async function foldHistory(options: FoldHistory): Promise<FoldedState> {
  const { dir, until, draft, log, workers = 2, foldVersion = newestFoldVersion } = options;
  if (!isFoldVersion(foldVersion)) {
    throw new HistoryRefused(`version ${foldVersion} of the fold is unknown to this release`);
  }
  return atWork(options, async (pool, progress) => {
    const spool = await completeSpool(options, pool, { progress, refuseNewer: true });
    const { positions, shape } = spool;
    const foldDir = join(dir, 'fold');
    // Whatever a killed run left there; the phases take less time than making sure of it.
    await rm(foldDir, { recursive: true, force: true });
    await mkdir(foldDir, { recursive: true });
    const receivedAt = until.receivedAt && new Date(until.receivedAt).toISOString();
    const cut: Cut = { prefix: log.prefix, foldVersion, positions, receivedAt, draft };
    const setup = { logDir: spool.dir, logParts: spool.parts, foldDir, shape, cut };
    pool.begin(setup);
    const events = recordsOf(spool, brokerName('events', log.prefix));
    const tally = await runPhases(runIn(pool, progress, events), shape);
    const [broken = 0] = await runIn(pool)('countBroken', [{}]);
    return {
      positions,
      broken,
      ...stateOf(tally),
      files: filesOf(foldDir, workers, shape.shards, tally),
      explainItems: (ids) => explainItems({ ...options, onProgress: undefined }, setup, ids),
    };
  });
}

/** In words that an operator reads, and their share of the time; measured by the benchmark. */
const phases: Partial<Record<TaskName, { words: string; share: number }>> = {
  scanUsers: { words: 'finding what users share', share: 0.08 },
  foldUsers: { words: 'deciding', share: 0.47 },
  foldRecipients: { words: 'rewarding', share: 0.45 },
};

function runIn(pool: Pool, progress?: WorkProgress, events = 0): RunPhase {
  return <N extends TaskName>(name: N, inputs: readonly TaskInput<N>[]) => {
    const reported = progress && phases[name];
    if (reported) {
      progress.phase(reported.words, { tasks: inputs.length, events, share: reported.share });
    }
    return Promise.all(
      inputs.map(async (input) => {
        const result = await pool.run({ task: name, input });
        if (reported) progress.taskDone();
        return result as TaskResult<N>;
      }),
    );
  };
}

function stateOf({ tenants }: Tally): Pick<FoldedState, 'events' | 'tenants'> {
  const all = Object.entries(tenants).sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    events: all.reduce((sum, [, { decisions }]) => sum + decisions.count, 0),
    tenants: all.map(([tenantId, sums]) => ({ tenantId, facts: sums.decisions.count, ...sums })),
  };
}

function filesOf(
  dir: string,
  workers: number,
  shards: number,
  { lines }: Tally,
): FoldedState['files'] {
  const of = (list: 'decisions' | 'rewards') =>
    Array.from({ length: shards * workers }, (_, i) => {
      const name = `${list}/${Math.floor(i / workers)}.${i % workers}`;
      return { path: join(dir, name), lines: lines[name] ?? 0 };
    }).filter((file) => file.lines > 0);
  return { decisions: of('decisions'), rewards: of('rewards') };
}

async function explainItems(
  options: FoldHistory,
  setup: Parameters<Pool['begin']>[0],
  { eventIds, rewardIds }: Parameters<FoldedState['explainItems']>[0],
): Promise<ItemDetail[]> {
  if (eventIds.length === 0 && rewardIds.length === 0) return [];
  return atWork(options, async (pool) => {
    pool.begin(setup);
    const eachShard = Array.from({ length: setup.shape.shards }, (_, shard) => ({
      ...{ shard, eventIds, rewardIds },
    }));
    return (await runIn(pool)('explain', eachShard)).flat();
  });
}

function recordsOf({ positions }: Spool, topic: string): number {
  return Object.entries(positions)
    .filter(([name]) => name.startsWith(`${topic}/`))
    .reduce((sum, [, next]) => sum + Number(next), 0);
}

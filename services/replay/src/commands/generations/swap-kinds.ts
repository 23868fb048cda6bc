import type { SwapResult } from '@tributary/contracts/admin/replay-results';
import { findGeneration, readLiveGeneration } from '@tributary/generations/registry';
import { type JobContext, type JobKind, JobRefused } from '../job-kind.ts';
import { dropGeneration, isAnything } from './drop-generation.ts';
import { findFlipBy, findPrevious, madeBy, readCompared } from '../../db/generation-marks.ts';
import { readAllStages } from './stages.ts';
import type { SwapDeps } from './swap.ts';
import { swapUntilDone } from './swap-until-done.ts';

/** To a generation that was built and compared, or to one that was live before. */
export function createSwapKind(deps: SwapDeps): JobKind<{ to: number }, SwapResult> {
  const { pool } = deps;
  return {
    name: 'swap',
    async run(context, { to }) {
      const from = await readLiveGeneration(pool);
      const flipped = await findFlipBy(pool, context.jobId);
      if (flipped) return flipped;
      if (from === to) throw new JobRefused(`generation ${to} is live already`);
      await refuseUnfit(deps, to);
      return swapTo(deps, context, { from, to });
    },
  };
}

/** To the one that was live before; twice is back again, so a job that is taken up does it once. */
export function createRollbackKind(deps: SwapDeps): JobKind<object, SwapResult> {
  const { pool } = deps;
  return {
    name: 'rollback',
    async run(context) {
      const flipped = await findFlipBy(pool, context.jobId);
      if (flipped) return flipped;
      const from = await readLiveGeneration(pool);
      const to = await findPrevious(pool, from);
      if (to === undefined) throw new JobRefused(`no generation was live before ${from}`);
      const status = (await findGeneration(pool, to))?.status;
      if (status !== 'kept') {
        throw new JobRefused(`generation ${to}, live before ${from}, is ${status ?? 'dropped'}`);
      }
      return swapTo(deps, context, { from, to });
    },
  };
}

export function createDropKind(
  deps: SwapDeps,
): JobKind<{ generation: number }, { generation: number; schemas: number; topics: number }> {
  return {
    name: 'drop',
    async run(context, { generation }) {
      const { signal, progress, attempt } = context;
      // An earlier, killed run of this job has removed all of it.
      if (attempt > 1 && !(await isAnything(deps, generation))) {
        return { generation, schemas: 0, topics: 0 };
      }
      const removed = await dropGeneration(deps, generation, { signal, progress });
      await context.note(`generation ${generation} is removed`);
      return { generation, ...removed };
    },
  };
}

async function swapTo(
  deps: SwapDeps,
  context: JobContext,
  { from, to }: { from: number; to: number },
): Promise<SwapResult> {
  await readAllStages(deps, to);
  return swapUntilDone(deps, context, { from, to, note: madeBy(context.jobId) });
}

/** One that was live before needs no proof: it goes on as it was. */
async function refuseUnfit({ pool }: SwapDeps, to: number): Promise<void> {
  const generation = await findGeneration(pool, to);
  if (!generation) throw new JobRefused(`there is no generation ${to}`);
  if (generation.status === 'lost') throw new JobRefused(`generation ${to} is lost`);
  if (generation.status !== 'building') return;
  switch (await readCompared(pool, to)) {
    case 'identical':
      return;
    case 'different':
      throw new JobRefused(`generation ${to} does not equal the fold of the log`);
    case undefined:
      throw new JobRefused(`generation ${to} is still being built or was not compared`);
  }
}

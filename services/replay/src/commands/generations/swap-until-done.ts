import { setTimeout as delay } from 'node:timers/promises';
import type { SwapResult } from '@tributary/contracts/admin/replay-results';
import { type JobContext, JobRefused } from '../job-kind.ts';
import { type SwapDeps, type SwapRequest, trySwap } from './swap.ts';
import { untilClose } from './until-close.ts';

/**
 * Attempt after attempt, each of which changes nothing or everything (swap.ts), with pauses in
 * which the old generation works off what waited.
 *
 * @throws JobRefused when it cannot be done, or did not come about within `limitMs`.
 */
export async function swapUntilDone(
  deps: SwapDeps,
  context: JobContext,
  request: Omit<SwapRequest, 'signal' | 'readModels'>,
  { limitMs = 300_000, modelGraceMs }: { limitMs?: number; modelGraceMs?: number } = {},
): Promise<SwapResult> {
  const { from, to } = request;
  const startedMs = performance.now();
  for (let attempt = 1; ; attempt++) {
    const { readModels } = await untilClose(deps, to, context, {
      ...(modelGraceMs !== undefined && { modelGraceMs }),
    });
    context.progress({
      phase: `swapping to generation ${to}`,
      done: attempt - 1,
      unit: 'attempts',
    });
    const swapped = await trySwap(deps, { ...request, readModels, signal: context.signal });
    switch (swapped.outcome) {
      case 'swapped': {
        const { outcome: _outcome, ...result } = swapped;
        await context.note(
          `generation ${to} is live instead of ${from}: decisions waited ${result.frozenMs} ms, ` +
            `releases ${result.releasesHeldMs} ms`,
        );
        return { from, to, ...result };
      }
      case 'already-live':
        return { from, to };
      case 'refused':
        throw new JobRefused(swapped.why);
      case 'not-now':
        await context.note(`attempt ${attempt} changed nothing: ${swapped.why}`);
        break;
      default:
        throw new Error(`no such outcome: ${String(swapped satisfies never)}`);
    }
    if (performance.now() - startedMs > limitMs) {
      throw new JobRefused(`nothing was changed in ${attempt} attempts; the last: ${swapped.why}`);
    }
    await delay(Math.min(attempt, 10) * pauseMs, undefined, { signal: context.signal });
  }
}

const pauseMs = 1_000;

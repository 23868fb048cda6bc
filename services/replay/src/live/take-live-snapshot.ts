import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Positions } from '@tributary/contracts/admin/replay-results';
import { freezeAttribution, type FrozenAttribution } from './freeze-attribution.ts';
import { type Asked, type NotNow, type OpenLines, openLines } from './open-lines.ts';
import { storeLines } from './store-lines.ts';
import type { LiveSnapshot, TakeLiveSnapshot } from '../domain/live-state.ts';

/**
 * The current state of both stages at one cut of the log:
 *
 *   freeze attribution ─▶ both open a snapshot ─▶ unfreeze ─▶ read both to the end
 *                          rewards only once it has folded all that attribution decided
 *
 * Attribution stands still until rewards has drained and no longer. Each side says up to where it
 * had read in its snapshot, and only if that is exactly where attribution stood still is it one
 * cut: a freeze that was over too soon does not pass for one.
 *
 * What does not come about is tried again with growing pauses; what had been opened is left, and
 * nothing is held back meanwhile.
 */
export function createTakeLiveSnapshot(options: {
  attribution: Asked;
  rewards: Asked;
  /** Pause after the first failure; doubled each time, up to a minute. */
  firstPauseMs?: number;
  tries?: number;
  /** Asked before another try. @throws when no snapshot of this generation will ever come. */
  refuseLost?: (generation: number | undefined) => Promise<void>;
}): TakeLiveSnapshot {
  const { attribution, rewards, firstPauseMs = 1_000, tries = 20, refuseLost } = options;

  return async function takeLiveSnapshot(request) {
    const { signal, note } = request;
    await mkdir(request.dir, { recursive: true });
    for (let failures = 1; ; failures += 1) {
      const result = await tryOnce(request);
      if (result.outcome === 'taken') return result.snapshot;
      await refuseLost?.(request.generation);
      if (failures >= tries) {
        throw new NoSnapshot(
          `No snapshot of the live state in ${failures} tries. ${result.detail}`,
        );
      }
      const pauseMs = Math.min(firstPauseMs * 2 ** (failures - 1), 60_000);
      await note(`no snapshot of the live state yet: ${result.detail}`);
      await delay(pauseMs, undefined, { signal });
    }
  };

  async function tryOnce(request: Request): Promise<Taken | NotNow> {
    const { generation, signal } = request;
    const frozen = await freezeAttribution(attribution, { generation, signal });
    if (frozen.outcome === 'not-now') return frozen;
    const sinceMs = performance.now();
    const all = new AbortController();
    const opened = { ...request, signal: AbortSignal.any([signal, all.signal]) };
    try {
      const [decided, rewarded] = await openBoth(frozen, opened);
      const frozenMs = Math.round(performance.now() - sinceMs);
      await frozen.end();
      const problem = [decided, rewarded].find((answer) => answer.outcome === 'not-now');
      if (problem) return problem;
      return await readBoth(request, frozen, {
        decided: decided as OpenLines,
        rewarded: rewarded as OpenLines,
        frozenMs,
      });
    } finally {
      all.abort();
      await frozen.end();
    }
  }

  async function openBoth(
    { generation, outputEnds }: FrozenAttribution,
    { tenantId: tenant, userId: user, signal }: Request,
  ): Promise<[OpenLines | NotNow, OpenLines | NotNow]> {
    const about = { path: 'state', query: { generation, tenant, user }, signal };
    return Promise.all([
      openLines(attribution, { ...about, method: 'GET' }),
      openLines(rewards, { ...about, method: 'POST', body: { reached: outputEnds } }),
    ]);
  }
}

/** Live was busy all the time. */
export class NoSnapshot extends Error {}

type Request = Parameters<TakeLiveSnapshot>[0];
type Taken = { outcome: 'taken'; snapshot: LiveSnapshot };

async function readBoth(
  { dir, tenantId, userId, signal }: Request,
  frozen: FrozenAttribution,
  { decided, rewarded, frozenMs }: { decided: OpenLines; rewarded: OpenLines; frozenMs: number },
): Promise<Taken | NotNow> {
  const attributionAt = (decided.header as { positions: Positions }).positions;
  const rewardsAt = (rewarded.header as { positions: Positions }).positions;
  if (!isAt(attributionAt, frozen.positions) || !isAt(rewardsAt, frozen.outputEnds)) {
    return { outcome: 'not-now', detail: 'Attribution went on before both sides were ready.' };
  }
  try {
    const [decisions, rewards] = await Promise.all([
      storeLines(decided.rest, join(dir, 'live-decisions.ndjson')),
      storeLines(rewarded.rest, join(dir, 'live-rewards.ndjson')),
    ]);
    const snapshot = {
      ...(tenantId !== undefined && { tenantId }),
      ...(userId !== undefined && { userId }),
      generation: frozen.generation,
      foldVersion: frozen.foldVersion ?? 1,
      attribution: { positions: attributionAt, file: decisions },
      rewards: { positions: rewardsAt, file: rewards },
      frozenMs,
    };
    return { outcome: 'taken', snapshot };
  } catch (error) {
    signal.throwIfAborted();
    return { outcome: 'not-now', detail: `${(error as Error).message}.` };
  }
}

/** A partition that nothing was read of has no position, or 0. */
function isAt(positions: Positions, expected: Positions): boolean {
  return Object.entries(expected).every(([partition, at]) => (positions[partition] ?? '0') === at);
}

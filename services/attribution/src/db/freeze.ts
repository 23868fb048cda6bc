import { setTimeout as delay } from 'node:timers/promises';
import { holdPositions } from '@tributary/event-log/hold-positions';
import { textOfOffsets } from '@tributary/event-log/position';
import { allowIdle, type Tx } from '@tributary/runtime/postgres';
import type pg from 'pg';
import { holdUndecided, isSettled, readUnsettled, type Unsettled } from './unsettled.ts';

/**
 * Attribution stands still, in all processes of this generation, at a vector of offsets that is
 * told:
 *
 *   waiting ─▶ holding ─▶ frozen ─▶ over
 *
 * `waiting`: nothing is held back; only a small backlog makes it worth while to begin. `holding`:
 * no batch is applied any more (hold-positions.ts), but the sweeper and the relay go on, and leave
 * less and less. `frozen`: there is nothing left that could change a decision or put one on the
 * log, and everything decided is there, before `outputEnds`. Decisions that are tried again later
 * are held too, so that nothing happens by the clock either.
 *
 * All of it is one open transaction that writes nothing. It ends with the connection, so a process
 * that dies, or that is cut off, holds nobody back.
 */
export type Freeze = {
  /** Next offset of each partition that attribution has read, `referral.events/0` → `123`. */
  positions: Record<string, string>;
  /** End of each partition of the decisions' topic. */
  outputEnds: Record<string, string>;
  end(): Promise<void>;
};

export type FreezeResult =
  { outcome: 'frozen'; freeze: Freeze } | { outcome: 'not-now'; detail: string };

export type FreezeAttribution = (signal: AbortSignal) => Promise<FreezeResult>;

export function createFreeze(options: {
  pool: pg.Pool;
  /** The name of the projection. */
  name: string;
  readOutputEnds: () => Promise<Map<string, { high: bigint }>>;
  /** How long it may wait for a small backlog, and how long hold everybody until there is none. */
  waitMs?: number;
  holdMs?: number;
}): FreezeAttribution {
  const { pool, name, readOutputEnds, waitMs = 2_000, holdMs = 8_000 } = options;

  async function holdStill(tx: Tx, signal: AbortSignal): Promise<Freeze | Unsettled> {
    await tx.query(`begin isolation level read committed`);
    // The one limit that holds when this process is stopped in the middle.
    await allowIdle(tx, maxFrozenMs);
    await tx.query(`set local lock_timeout = ${holdMs / 2}`);
    const deadline = performance.now() + holdMs;
    const positions = await holdPositions(tx, name);
    const left = await untilThat(isSettled, { tx, deadline, signal });
    if (left) return left;
    await holdUndecided(tx, undecidedHeld);
    // One that was being tried meanwhile has left work.
    const late = await untilThat(isSettled, { tx, deadline, signal });
    if (late) return late;
    const ends = await readOutputEnds();
    return {
      positions: textOfOffsets(positions),
      outputEnds: textOfOffsets(
        new Map([...ends].map(([partition, { high }]) => [partition, high])),
      ),
      end: () => letGo(tx),
    };
  }

  return async function freeze(signal) {
    const deadline = performance.now() + waitMs;
    const much = await untilThat(isLittle, { tx: pool, deadline, signal });
    if (much) return { outcome: 'not-now', detail: wordsOf(much) };
    const tx = await pool.connect();
    tx.on('error', ignoreError);
    let kept = false;
    try {
      const held = await holdStill(tx, signal);
      if ('end' in held) {
        kept = true;
        return { outcome: 'frozen', freeze: held };
      }
      return { outcome: 'not-now', detail: wordsOf(held) };
    } finally {
      if (!kept) await letGo(tx);
    }
  };
}

/** Longer than anybody keeps it, by the word of state-routes.ts. */
const maxFrozenMs = 25_000;
/** The sweeper takes 50 at a time; these are more than it tries while anything is frozen. */
const undecidedHeld = 1_000;

function isLittle({ recomputeJobs: jobs, retries, unsent }: Unsettled): boolean {
  return jobs <= 20 && retries <= 50 && unsent <= 2_000;
}

/** What is left at the deadline; undefined when it is little enough. */
async function untilThat(
  isEnough: (left: Unsettled) => boolean,
  { tx, deadline, signal }: { tx: Pick<Tx, 'query'>; deadline: number; signal: AbortSignal },
): Promise<Unsettled | undefined> {
  for (;;) {
    const left = await readUnsettled(tx);
    if (isEnough(left)) return undefined;
    if (performance.now() > deadline) return left;
    await delay(20, undefined, { signal });
  }
}

async function letGo(tx: Tx): Promise<void> {
  const ended = await tx.query('rollback').then(
    () => true,
    () => false,
  );
  tx.off('error', ignoreError);
  tx.release(!ended);
}

/** While it is checked out nobody else listens; the failing query reports the same error. */
function ignoreError(): void {}

function wordsOf({ recomputeJobs: jobs, retries, unsent }: Unsettled): string {
  return (
    `Attribution is busy: ${jobs} recompute jobs to run, ${retries} undecided events to try ` +
    `again, ${unsent} decisions not on the log yet (5000: or more).`
  );
}

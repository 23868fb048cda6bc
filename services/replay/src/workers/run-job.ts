import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@tributary/runtime/logger';
import type pg from 'pg';
import type { ReplaySettings } from '../settings.ts';
import type { JobDirs } from './job-dirs.ts';
import { type JobProcess, startJobProcess } from './job-process.ts';
import {
  countCrash,
  endJob,
  type JobEnd,
  type JobEnded,
  readAttempt,
  type TakenJob,
  writeNote,
} from '../db/job-rows.ts';

/** `lost`: somebody else may run jobs now. `stopping`: this service ends. */
export type RunSignals = { lost: AbortSignal; stopping: AbortSignal };

/** `stopping`: for a while. */
type Word = { stop: 'cancelled'; by: string } | { stop: 'stopping' };

/**
 * One attempt at a job, from its process to its last row:
 *
 *   done ───────────────────────────────────▶ done
 *   threw, for good ──────────▶ cleaned up ─▶ failed
 *   threw, what passes ───────▶ a pause ────▶ (taken up again)
 *   died ─────────────────────▶ a pause ────▶ (taken up again), at the fifth time failed
 *   somebody asks to cancel ──▶ cleaned up ─▶ cancelled, unless it was done first
 *   the service stops, or has lost the lock ▶ (taken up again)
 *   a lost generation is to be recovered ───▶ (taken up again, after that)
 */
export function createRunJob(options: {
  pool: pg.Pool;
  settings: ReplaySettings;
  logger: Logger;
  kindsUrl: string;
  dirs: JobDirs;
  onEnded?: ((ended: JobEnded) => void) | undefined;
}) {
  const { pool, settings, logger, kindsUrl, dirs, onEnded } = options;

  return async function runJob(job: TakenJob, signals: RunSignals): Promise<void> {
    if (job.cancelAskedBy !== null) return cancel(job, job.cancelAskedBy);
    const { outcome, word } = await attend(job, start(job, 'run'), signals);
    if (signals.lost.aborted) return;
    if (outcome.outcome === 'done') {
      return end(job, { status: 'done', result: outcome.result, line: 'done' });
    }
    if (word?.stop === 'cancelled') {
      return cancel(job, word.by, outcome.outcome === 'stopped' && outcome.cleaned);
    }
    if (signals.stopping.aborted) {
      return writeNote(pool, job, 'interrupted: the service stops, and goes on when it is back');
    }
    if (word?.stop === 'stopping' && outcome.outcome !== 'failed') {
      return writeNote(pool, job, 'interrupted: a lost generation is recovered first');
    }
    if (outcome.outcome === 'failed' && !outcome.passes) return fail(job, outcome.message);
    if (outcome.outcome === 'failed') {
      await writeNote(pool, job, `interrupted: ${outcome.message}`);
      return pause(job, Math.min(job.attempt, 7), signals);
    }
    const how = outcome.outcome === 'died' ? outcome.how : 'by itself';
    const crashes = job.crashes + 1;
    await countCrash(pool, job, `its process ended (${how})`);
    if (crashes >= crashLimit) return fail(job, `its process ended ${crashes} times (${how})`);
    return pause(job, crashes, signals);
  };

  function start({ jobId, kind, params, attempt }: TakenJob, task: 'run' | 'clean-up') {
    const job = { jobId, kind, params, attempt };
    return startJobProcess({ settings, kindsUrl, job, dir: dirs.of(jobId), task });
  }

  /** Until its process is gone. */
  async function attend(job: TakenJob, process: JobProcess, { lost, stopping }: RunSignals) {
    const ended = new AbortController();
    const onLost = () => process.kill();
    const onStopping = () => process.stop('stopping');
    lost.addEventListener('abort', onLost);
    stopping.addEventListener('abort', onStopping);
    if (stopping.aborted) onStopping();
    if (lost.aborted) onLost();
    const watched = untilWord(job, ended.signal).then((word) => {
      if (word) process.stop(word.stop);
      return word;
    });
    const outcome = await process.outcome;
    ended.abort();
    lost.removeEventListener('abort', onLost);
    stopping.removeEventListener('abort', onStopping);
    return { outcome, word: await watched };
  }

  /** Why it should end; undefined when there was no reason before the signal. */
  async function untilWord(job: TakenJob, signal: AbortSignal): Promise<Word | undefined> {
    while (!signal.aborted) {
      // While the database is away nobody can ask; the lock will tell how that goes on.
      const row = await readAttempt(pool, job).catch(() => undefined);
      if (typeof row?.cancelAskedBy === 'string') {
        return { stop: 'cancelled', by: row.cancelAskedBy };
      }
      if (row?.isUrgentElsewhere) return { stop: 'stopping' };
      await delay(watchMs, undefined, { signal }).catch(() => undefined);
    }
    return undefined;
  }

  async function pause(job: TakenJob, nth: number, { lost, stopping }: RunSignals): Promise<void> {
    const over = AbortSignal.any([
      ...[lost, stopping],
      AbortSignal.timeout(Math.min(250 * 2 ** nth, longestPauseMs)),
    ]);
    await untilWord(job, over);
  }

  async function cancel(job: TakenJob, by: string, cleaned = false): Promise<void> {
    if (!cleaned) await cleanUp(job);
    await end(job, { status: 'cancelled', line: `cancelled by ${by}` });
  }

  async function fail(job: TakenJob, error: string): Promise<void> {
    await cleanUp(job);
    await end(job, { status: 'failed', error, line: `failed: ${error}` });
  }

  async function cleanUp(job: TakenJob): Promise<void> {
    for (let tries = 1; tries <= cleanUpTries; tries++) {
      const outcome = await start(job, 'clean-up').outcome;
      if (outcome.outcome === 'stopped') return;
      const why = outcome.outcome === 'failed' ? outcome.message : outcome.outcome;
      await writeNote(pool, job, `could not remove what it left: ${why}`);
    }
  }

  async function end(job: TakenJob, how: JobEnd): Promise<void> {
    await dirs.remove(job.jobId);
    if (!(await endJob(pool, job, how))) return;
    logger.info('a job ended', { jobId: job.jobId, kind: job.kind, status: how.status });
    const { status } = how;
    onEnded?.({ kind: job.kind, status, ...(status === 'done' && { result: how.result }) });
  }
}

const crashLimit = 5;
const cleanUpTries = 3;
const watchMs = 300;
const longestPauseMs = 30_000;

import { spawn } from 'node:child_process';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { JobContext, JobKind } from '../commands/job-kind.ts';
import type { CreateKinds } from '../commands/kinds.ts';
import { patiently } from '@tributary/testkit/patience';

/**
 * A kind of job for specs of the runner. It is called `verify`, so that it can be asked for like
 * any other; `userId` says what becomes of it. What it does it tells in the table `trace`.
 */
export const createKinds: CreateKinds = ({ pool }) => [scenario(pool)];

export const traceTable = `create table if not exists trace (
  trace_id bigint generated always as identity, job_id uuid, attempt int, pid int, what text)`;

function scenario(pool: pg.Pool): JobKind<{ userId: string }> {
  const trace = (jobId: string, attempt: number, what: string) =>
    pool.query('insert into trace (job_id, attempt, pid, what) values ($1, $2, $3, $4)', [
      ...[jobId, attempt, process.pid, what],
    ]);
  return {
    name: 'verify',
    async run(context, { userId }) {
      const { jobId, attempt } = context;
      await trace(jobId, attempt, 'begin');
      const result = await scenarios[userId]!(context, (what) => trace(jobId, attempt, what));
      await trace(jobId, attempt, 'end');
      return result;
    },
    async cleanUp({ jobId }) {
      await trace(jobId, 0, 'cleaned');
    },
  };
}

type Trace = (what: string) => Promise<unknown>;

/** Whoever ends the process in the middle is to come before its end on a slow machine, too. */
const stepMs = Math.min(patiently(50), 200);

const scenarios: Record<string, (context: JobContext, trace: Trace) => Promise<unknown>> = {
  /** Thirty steps; one that was done is not done again. */
  async steps({ dir, signal, attempt, progress }, trace) {
    const file = join(dir, 'steps');
    const done = Number(await readFile(file, 'utf8').catch(() => '0'));
    for (let step = done + 1; step <= 30; step++) {
      await delay(stepMs, undefined, { signal });
      await trace(`step ${step}`);
      // In one go: a kill in the middle of writing the file itself would leave it empty.
      await writeFile(`${file}.next`, String(step));
      await rename(`${file}.next`, file);
      progress({ phase: 'counting', done: step, total: 30, unit: 'steps' });
    }
    return { outcome: 'identical', attempt };
  },

  async throws({ note }) {
    await note('about to fail');
    throw new Error('the log cannot be folded');
  },

  /** What fails only once, and would not the next time. */
  async passes({ attempt }) {
    if (attempt === 1) throw Object.assign(new Error('not now'), { retryable: true });
    return { attempt };
  },

  async 'dies twice'({ attempt }) {
    if (attempt < 3) process.kill(process.pid, 'SIGKILL');
    return { attempt };
  },

  async 'always dies'() {
    process.kill(process.pid, 'SIGKILL');
    await delay(10_000);
  },

  /** Waits for its end, with a child that would go on for long. */
  async 'with a child'({ signal }, trace) {
    const child = spawn('sleep', ['600'], { stdio: 'ignore' });
    await trace(`child ${child.pid}`);
    await delay(600_000, undefined, { signal });
  },

  /** Hears nothing. */
  async deaf(_context, trace) {
    await trace('deaf');
    for (;;) Math.random();
  },
};

import { setTimeout as delay } from 'node:timers/promises';
import { replayRoutes } from '@tributary/contracts/admin/replays';
import type { CommandContext } from '../command-context.ts';
import { NoAnswer, Refused, ShownFailure } from '../failures.ts';
import { hasEnded, isGood, type Job } from './job.ts';
import { describeJobEnd } from './job-texts.ts';

/** A swap or a new release takes the portal away for a moment: the job goes on meanwhile. */
const patienceMs = 120_000;
const firstWaitMs = 50;
const longestWaitMs = 1_000;

/**
 * Shows how far a job is until it has ended, then what came of it. Ctrl-C ends the watching and
 * nothing else.
 *
 * @throws {ShownFailure} unless the job did what it was asked for and found no difference.
 */
export async function watchJob(context: CommandContext, jobId: string): Promise<void> {
  const interrupted = new AbortController();
  const restore = context.onInterrupt(() => interrupted.abort());
  const watch = context.watchProgress();
  let job: Job | undefined;
  try {
    for await (const state of follow(context, jobId, interrupted.signal)) {
      job = state;
      if (state.progress !== undefined && !hasEnded(state)) watch.at(state.progress);
    }
  } finally {
    watch.end();
    restore();
  }
  if (job !== undefined && hasEnded(job)) {
    context.print(job, describeJobEnd(job));
    if (isGood(job)) return;
    throw new ShownFailure('the job failed, or found a difference');
  }
  context.print(job ?? { jobId }, goesOn(jobId));
  throw new ShownFailure('the watching was ended before the job was');
}

/** The command that does not wait. */
export function showDetached(context: CommandContext, job: Job): void {
  context.print(job, `Asked for: ${job.kind}, job ${job.jobId}.\n${howToSee(job.jobId)}`);
}

function goesOn(jobId: string): string {
  return `The job goes on.\n${howToSee(jobId)}`;
}

function howToSee(jobId: string): string {
  return (
    `  tributary replay job ${jobId} --watch   shows how far it is\n` +
    `  tributary replay cancel ${jobId}        ends it`
  );
}

/** The job again and again, until it has ended or the watching has. */
async function* follow(
  { call, say }: CommandContext,
  jobId: string,
  signal: AbortSignal,
): AsyncGenerator<Job> {
  let waitMs = firstWaitMs;
  let answeredAt = performance.now();
  let isGone = false;
  while (!signal.aborted) {
    try {
      const request = { route: replayRoutes.showJob, params: { jobId } };
      const { body: job } = await call(request);
      answeredAt = performance.now();
      isGone = false;
      yield job;
      if (hasEnded(job)) return;
    } catch (error) {
      if (!mayPass(error) || performance.now() - answeredAt > patienceMs) throw error;
      if (!isGone) say(`No answer at the moment; trying again. (${(error as Error).message})`);
      isGone = true;
    }
    await delay(waitMs, undefined, { signal }).catch(() => undefined);
    waitMs = Math.min(2 * waitMs, longestWaitMs);
  }
}

function mayPass(error: unknown): boolean {
  return error instanceof NoAnswer || (error instanceof Refused && error.problem.status === 503);
}

import { mkdir } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { createLogger } from '@tributary/runtime/logger';
import { createPool, isTransientPostgresError } from '@tributary/runtime/postgres';
import { createReadModelPools } from '../db/read-model-pools.ts';
import type { CreateKinds } from '../commands/kinds.ts';
import type { JobMessage, JobOrder, JobOutcome, StopReason } from './job-process.ts';
import { createJobContext } from './job-context.ts';
import { killGroup, takeDirectory } from './owner-file.ts';

// The program that a job runs in: see job-process.ts. Its last word is a JobOutcome.

/** Behind everything live, also its children. */
const lowPriority = 10;

setPriority(lowPriority);
const stop = new AbortController();
// The service is gone: nobody would take the outcome, and the job belongs to whoever finds it next.
process.on('disconnect', () => killGroup(process.pid));
process.on('message', (message: JobMessage) => {
  if ('stop' in message) stop.abort(message.stop);
  else void answer(message.order);
});
// A stop of the whole group from a terminal is the service's to pass on.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);

async function answer(order: JobOrder): Promise<void> {
  const outcome = await carryOut(order).catch(failureOf);
  process.send?.(outcome, () => process.exit(0));
}

async function carryOut(order: JobOrder): Promise<JobOutcome> {
  const { settings, job, dir, task } = order;
  const { jobId, kind: name } = job;
  const logger = createLogger({ service: 'replay', level: settings.logLevel }).child({
    jobId,
    kind: name,
  });
  const pool = createPool(settings.postgres, {
    searchPath: [settings.postgres.schema, settings.generationsSchema],
    applicationName: `replay ${name}`,
    logger,
  });
  const { createKinds } = (await import(order.kindsUrl)) as { createKinds: CreateKinds };
  const readModelPools = createReadModelPools(settings, {
    ...{ applicationName: `replay ${name}`, logger },
  });
  const kind = createKinds({ settings, pool, readModelPools, logger }).find(
    (known) => known.name === name,
  );
  if (!kind) return { outcome: 'failed', message: `no job is called ${name}`, passes: false };
  const cleanUp = async () => kind.cleanUp?.({ jobId, logger }, job.params);

  const context = createJobContext({ pool, logger, job, dir, signal: stop.signal });
  try {
    if (task === 'clean-up') {
      await cleanUp();
      return { outcome: 'stopped', cleaned: true };
    }
    await mkdir(dir, { recursive: true });
    await takeDirectory(dir);
    const result = await kind.run(context, job.params);
    return { outcome: 'done', result };
  } catch (error) {
    if (stop.signal.aborted) {
      const cancelled = (stop.signal.reason as StopReason) === 'cancelled';
      return { outcome: 'stopped', cleaned: cancelled && (await succeeds(cleanUp)) };
    }
    logger.error('a job failed', { error });
    return failureOf(error);
  } finally {
    await context.end();
  }
}

async function succeeds(work: () => Promise<void>): Promise<boolean> {
  return work().then(
    () => true,
    () => false,
  );
}

function failureOf(error: unknown): JobOutcome {
  const message = error instanceof Error ? error.message : String(error);
  return { outcome: 'failed', message, passes: willPass(error) };
}

/** Looks along `cause`. */
function willPass(error: unknown): boolean {
  if (isTransientPostgresError(error)) return true;
  if (!(error instanceof Error)) return false;
  return (error as { retryable?: unknown }).retryable === true || willPass(error.cause);
}

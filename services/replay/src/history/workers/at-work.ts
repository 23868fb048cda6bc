import type { FoldHistory } from '../types.ts';
import { createPool, type Pool } from './pool.ts';
import { createWorkProgress, type WorkProgress } from './work-progress.ts';

/** Processes for as long as the work goes on: they stand still for live, and end with it. */
export async function atWork<Result>(
  options: Pick<FoldHistory, 'workers' | 'yieldToLive' | 'onProgress' | 'signal'>,
  work: (pool: Pool, progress: WorkProgress) => Promise<Result>,
): Promise<Result> {
  const { workers = 2, yieldToLive, onProgress, signal } = options;
  signal.throwIfAborted();
  const progress = createWorkProgress(onProgress);
  const pool = createPool({ workers, onRead: progress.read });
  const stop = () => void pool.stop(signal.reason);
  signal.addEventListener('abort', stop);
  // A question that fails says nothing about live; it is asked again.
  const ask = async () => {
    const behind = await yieldToLive?.().catch(() => undefined);
    if (behind !== undefined) pool.hold(behind);
  };
  let asking: Promise<void> | undefined;
  const asks = setInterval(() => {
    asking ??= ask().finally(() => (asking = undefined));
  }, 1_000);
  try {
    await ask();
    return await work(pool, progress);
  } finally {
    clearInterval(asks);
    signal.removeEventListener('abort', stop);
    progress.end();
    await pool.stop();
  }
}

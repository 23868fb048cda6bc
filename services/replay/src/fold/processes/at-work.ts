import type { FoldHistory } from '../types.ts';
import { createPool, OutOfMemory, type Pool } from './pool.ts';
import { createWorkProgress, type WorkProgress } from './work-progress.ts';

type AtWork = Pick<FoldHistory, 'workers' | 'yieldToLive' | 'onProgress' | 'signal' | 'heapsMb'>;
type Work<Result> = (pool: Pool, progress: WorkProgress) => Promise<Result>;

/**
 * The first is enough for a shard, well under 512 MB in all, whatever the number of events. But all
 * that one recipient was ever rewarded for is folded at once, some kilobytes each: for one with
 * very much of it the bound gives way, and not the answer.
 */
const usualHeapsMb = [320, 1_280, 5_120];

/**
 * Processes for as long as the work goes on: they stand still for live, and end with it. Work may
 * be begun again, with more memory.
 */
export async function atWork<Result>(options: AtWork, work: Work<Result>): Promise<Result> {
  const { heapsMb = usualHeapsMb } = options;
  for (const heapMb of heapsMb.slice(0, -1)) {
    try {
      return await atWorkWith(heapMb, options, work);
    } catch (error) {
      if (!(error instanceof OutOfMemory)) throw error;
    }
  }
  return atWorkWith(heapsMb.at(-1)!, options, work);
}

async function atWorkWith<Result>(
  heapMb: number,
  { workers = 2, yieldToLive, onProgress, signal }: AtWork,
  work: Work<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  const progress = createWorkProgress(onProgress);
  const pool = createPool({ workers, heapMb, onRead: progress.read });
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

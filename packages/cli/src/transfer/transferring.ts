import type { CommandContext } from '../command-context.ts';
import { NoAnswer, TransferFailed, UsageError } from '../failures.ts';

/** How often a bar or a line tells of the progress. */
const reportEveryMs = 500;

/**
 * Runs an export or import with its progress shown, which Ctrl-C ends in order: what `interrupted`
 * says is then true.
 */
export async function transferring<T>(
  context: CommandContext,
  options: {
    /** What was done to each, as in "records exported". */
    done: string;
    interrupted: string;
    work: (signal: AbortSignal, progress: (done: number, left: number) => void) => Promise<T>;
  },
): Promise<T> {
  const interrupt = new AbortController();
  const restore = context.onInterrupt(() => interrupt.abort());
  const progress = context.startProgress(options.done);
  let reportedAtMs = -Infinity;
  const tell = (done: number, left: number) => {
    const now = performance.now();
    if (now - reportedAtMs < reportEveryMs && left > 0) return;
    reportedAtMs = now;
    progress.at(done, left);
  };
  try {
    return await options.work(interrupt.signal, tell);
  } catch (error) {
    if (interrupt.signal.aborted) throw new TransferFailed(options.interrupted, { cause: error });
    if (error instanceof TransferFailed || error instanceof UsageError) throw error;
    const { name, message } = error as Error;
    // Kafka's client and the disk say plainly enough what is wrong; a mistake of ours has its
    // stack.
    if (error instanceof TypeError || error instanceof RangeError) throw error;
    throw new NoAnswer(`It could not be done: ${message} (${name})`, { cause: error });
  } finally {
    progress.end();
    restore();
  }
}

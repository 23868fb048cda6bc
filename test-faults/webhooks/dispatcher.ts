import { startWatchedProcess, type WatchedProcess } from '../watched-process.ts';
import type { TestHook } from './orders.ts';

/** One dispatcher process, with a wire to it. */
export type Dispatcher = WatchedProcess<TestHook>;

export function startDispatcherProcess(options: {
  name: string;
  env: Record<string, string>;
  logFile: string;
  /** Milliseconds by which its Date is off. */
  skewMs?: number;
}): Dispatcher {
  const { name, env, logFile, skewMs } = options;
  return startWatchedProcess({
    ...{ name, logFile, script: new URL('dispatcher-process.ts', import.meta.url) },
    ...(skewMs !== undefined && { preload: new URL('../shift-date.ts', import.meta.url) }),
    env: { TEST_SHIFT_DATE_MS: String(skewMs ?? 0), ...env },
  });
}

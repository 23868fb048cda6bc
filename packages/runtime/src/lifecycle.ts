import { setFlagsFromString } from 'node:v8';
import type { Logger } from './logger.ts';

/** Registers how to end something, right after it has been started. */
export type OnStop = (name: string, stop: () => Promise<void> | void) => void;

/**
 * The life of a process. `start` starts things and registers a stop for each; SIGTERM or SIGINT
 * runs the stops in reverse, once, and exits 0. Exit 1 means: the start failed (what had started is
 * stopped first), a stop failed, the stops took longer than `stopTimeoutMs`, a second signal came,
 * or an error reached the top, after which nothing about this process can be relied on.
 */
export function runService(options: {
  logger: Logger;
  start: (onStop: OnStop) => Promise<void>;
  stopTimeoutMs?: number;
}): void {
  const { logger, start, stopTimeoutMs = 20_000 } = options;
  const stops: { name: string; stop: () => Promise<void> | void }[] = [];
  let stopping = false;
  keepYoungObjectsYoung();

  const stopAll = async (exitCode: number): Promise<void> => {
    stopping = true;
    const deadline = setTimeout(() => {
      logger.error('stopping took too long', { stopTimeoutMs, left: stops.map((s) => s.name) });
      process.exit(1);
    }, stopTimeoutMs);
    const failed = await runInReverse(stops, logger);
    clearTimeout(deadline);
    if (failed === 0) logger.info('stopped');
    process.exit(failed === 0 ? exitCode : 1);
  };

  const onSignal = (signal: string) => {
    if (stopping) {
      logger.warn('second signal, leaving at once', { signal });
      process.exit(1);
    }
    logger.info('stopping', { signal });
    void stopAll(0);
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);

  const onLostError = (origin: string) => (error: unknown) => {
    logger.error(origin, { error });
    process.exit(1);
  };
  process.on('uncaughtException', onLostError('uncaught exception'));
  process.on('unhandledRejection', onLostError('unhandled rejection'));

  const onStop: OnStop = (name, stop) => void stops.push({ name, stop });
  start(onStop).then(
    () => {
      if (!stopping) logger.info('started');
    },
    (error: unknown) => {
      // A start that is interrupted by a signal fails as its parts go away under it.
      if (stopping) return;
      logger.error('start failed', { error });
      void stopAll(1);
    },
  );
}

/** A stop that fails keeps no other from running. Takes them off the list: what is left is late. */
async function runInReverse(
  stops: { name: string; stop: () => Promise<void> | void }[],
  logger: Logger,
): Promise<number> {
  let failed = 0;
  for (let last = stops.at(-1); last !== undefined; last = stops.at(-1)) {
    try {
      await last.stop();
    } catch (error) {
      failed += 1;
      logger.error('stop failed', { name: last.name, error });
    }
    stops.splice(stops.lastIndexOf(last), 1);
  }
  return failed;
}

/**
 * V8 allocates objects of a kind that often outlived a collection among the old ones at once. What
 * waits for an acknowledgement often does; then each such object, dead or not, keeps all that its
 * request has made until the next rare collection of the old ones (docs/decisions/0087).
 */
function keepYoungObjectsYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}

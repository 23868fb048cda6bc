import { RightsLacking, whoGivesRights } from '@tributary/event-log/missing-rights';
import type { OnStop } from '@tributary/runtime/lifecycle';
import type { Logger } from '@tributary/runtime/logger';
import { untilStopped } from '@tributary/runtime/until-allowed';
import type { GenerationRun } from './host-generations.ts';
import type { Stage } from './stage.ts';

/** One generation in this process: started, watched, started again, stopped. */
export type HostedRun<R> = {
  running(): R | undefined;
  /** Why the last start failed. */
  failure(): unknown;
  /** Starts it when it is not running, anew when it is no longer intact. Never throws. */
  attend(): Promise<void>;
  /** For good. */
  stop(): Promise<void>;
};

/**
 * Stops are handed to `onStop` as things start. Undefined: it turned out to be lost, which the
 * registry says by now.
 */
export type StartRun<R extends GenerationRun> = (
  stage: Stage,
  life: RunLife,
) => Promise<R | undefined>;

export type RunLife = {
  logger: Logger;
  onStop: OnStop;
  /** Whether the generation was the live one a second ago. */
  isLive: () => boolean;
};

export function createHostedRun<R extends GenerationRun>(options: {
  stage: Stage;
  logger: Logger;
  start: StartRun<R>;
  isLive: () => boolean;
}): HostedRun<R> {
  const { stage, start, isLive } = options;
  const logger = options.logger.child({ generation: stage.generation });
  let stops: { name: string; stop: () => Promise<void> | void }[] = [];
  let run: R | undefined;
  let failure: unknown;
  let failures = 0;
  let notBeforeMs = -Infinity;
  let attending: Promise<void> | undefined;
  const stopping = new AbortController();

  async function stopAll(): Promise<void> {
    run = undefined;
    const reversed = stops.reverse();
    stops = [];
    for (const { name, stop: end } of reversed) {
      try {
        await end();
      } catch (error) {
        logger.error('stop failed', { name, error });
      }
    }
  }

  async function begin(): Promise<void> {
    if (performance.now() < notBeforeMs) return;
    try {
      const onStop: OnStop = (name, end) => void stops.push({ name, stop: end });
      run = await untilStopped(stopping.signal, () => start(stage, { logger, onStop, isLive }));
      failure = undefined;
      failures = 0;
      if (run !== undefined) return logger.info('generation started');
      notBeforeMs = performance.now() + lostRetryMs;
      await stopAll();
    } catch (error) {
      if (!stopping.signal.aborted) report(error);
      await stopAll();
    }
  }

  function report(error: unknown): void {
    const isNews = !isSame(error, failure);
    failure = error;
    if (error instanceof RightsLacking) {
      notBeforeMs = performance.now() + rightsRetryMs;
      if (isNews) logger.error(`alert: ${error.message}: ${whoGivesRights}`);
      return;
    }
    failures += 1;
    notBeforeMs = performance.now() + Math.min(10_000, 500 * 2 ** failures);
    logger[failures < 5 ? 'warn' : 'error']('a generation cannot be started; trying again', {
      failures,
      error,
    });
  }

  async function attendOnce(): Promise<void> {
    if (run !== undefined && run.isIntact && !(await run.isIntact())) {
      logger.error('alert: the schema of a generation went back in time; it is started anew');
      await stopAll();
    }
    if (run === undefined && !stopping.signal.aborted) await begin();
  }

  return {
    running: () => run,
    failure: () => failure,
    attend() {
      attending ??= attendOnce().finally(() => (attending = undefined));
      return attending;
    },
    async stop() {
      stopping.abort();
      await attending;
      await stopAll();
    },
  };
}

/** The registry says that it is lost, and the next look will see that. */
const lostRetryMs = 5_000;
/** Given by somebody who is waiting for it to work. */
const rightsRetryMs = 2_000;

function isSame(error: unknown, earlier: unknown): boolean {
  return error instanceof Error && earlier instanceof Error && error.message === earlier.message;
}

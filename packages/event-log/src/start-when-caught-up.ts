import type { Logger } from '@tributary/runtime/logger';
import { createRepeater } from '@tributary/runtime/repeater';

/**
 * Holds work back that asks or tells somebody outside, until the log has been read to its end once.
 * A schema that was dropped or restored from an older backup does not know what was done since; the
 * log does (design 4, promise 10). Until then the service is not ready, and says so.
 *
 * The question is asked on and on: when the database falls back under a process that runs (decision
 * 25), it is not ready again until the log was read once more. What was started asks `health`
 * before it works.
 */
export function startWhenCaughtUp(options: {
  logger: Logger;
  /** What starts, for the log. */
  work: string;
  /** Once yes, it is yes until the database falls back. */
  caughtUp: () => Promise<boolean>;
  /** Called once. */
  start: () => void;
  everyMs?: number;
}): { health(): { ok: boolean; detail?: string }; stop(): void } {
  const { logger, work, caughtUp, start, everyMs = 200 } = options;
  let sinceMs = performance.now();
  let state: 'reading' | 'caught-up' | 'stopped' = 'reading';
  let hasStarted = false;
  let failures = 0;

  async function look(): Promise<void> {
    let yes = false;
    try {
      yes = await caughtUp();
    } catch (error) {
      failures += 1;
      if (failures === 1)
        logger.warn('cannot tell how far the log was read; trying again', { error });
    }
    if (state === 'stopped') return;
    if (yes && state === 'reading') go();
    if (!yes && state === 'caught-up') {
      [state, sinceMs] = ['reading', performance.now()];
      logger.warn('the log has to be read again up to its end', { waiting: work });
    }
  }

  function go(): void {
    state = 'caught-up';
    failures = 0;
    logger.info('caught up with the log', {
      starting: work,
      afterMs: Math.round(performance.now() - sinceMs),
    });
    if (!hasStarted) start();
    hasStarted = true;
  }

  const looks = createRepeater({ everyMs, work: look });
  looks.start();
  return {
    health: () =>
      state === 'caught-up' ? { ok: true } : { ok: false, detail: 'reading the log up to its end' },
    stop() {
      state = 'stopped';
      void looks.stop();
    },
  };
}

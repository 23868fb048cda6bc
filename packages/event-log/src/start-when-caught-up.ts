import type { Logger } from '@tributary/runtime/logger';

/**
 * Holds work back that asks or tells somebody outside, until the log has been read to its end once. A
 * schema that was dropped or restored from an older backup does not know what was done since; the log
 * does (design 4, promise 10). Until then the service is not ready, and says so.
 */
export function startWhenCaughtUp(options: {
  logger: Logger;
  /** What starts, for the log. */
  work: string;
  /** Asked until the answer is yes. */
  caughtUp: () => Promise<boolean>;
  start: () => void;
  everyMs?: number;
}): { health(): { ok: boolean; detail?: string }; stop(): void } {
  const { logger, work, caughtUp, start, everyMs = 200 } = options;
  const startedMs = performance.now();
  let state: 'reading' | 'caught-up' | 'stopped' = 'reading';
  let timer: NodeJS.Timeout | undefined;
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
    if (state !== 'reading') return;
    if (!yes) {
      timer = setTimeout(() => void look(), everyMs);
      return;
    }
    state = 'caught-up';
    logger.info('caught up with the log', {
      starting: work,
      afterMs: Math.round(performance.now() - startedMs),
    });
    start();
  }

  void look();
  return {
    health: () =>
      state === 'caught-up' ? { ok: true } : { ok: false, detail: 'reading the log up to its end' },
    stop() {
      state = 'stopped';
      clearTimeout(timer);
    },
  };
}

import type { Logger } from '@tributary/runtime/logger';

/**
 * Holds the sending back until the log has been read to its end once. A schema that was dropped or
 * restored from an older backup does not know what was sent since; the log does (design 4,
 * promise 10). Until then the service is not ready, and says so.
 */
export function startWhenCaughtUp(options: {
  logger: Logger;
  /** Resolves to the question to be asked until the answer is yes. */
  ready: () => Promise<() => Promise<boolean>>;
  start: () => void;
  everyMs?: number;
}): { health(): { ok: boolean; detail?: string }; stop(): void } {
  const { logger, ready, start, everyMs = 200 } = options;
  const startedMs = performance.now();
  let state: 'reading' | 'caught-up' | 'stopped' = 'reading';
  let timer: NodeJS.Timeout | undefined;
  let question: (() => Promise<boolean>) | undefined;

  async function look(): Promise<void> {
    let yes = false;
    try {
      question ??= await ready();
      yes = await question();
    } catch (error) {
      logger.warn('cannot tell how far the log was read; trying again', { error });
    }
    if (state !== 'reading') return;
    if (!yes) {
      timer = setTimeout(() => void look(), everyMs);
      return;
    }
    state = 'caught-up';
    logger.info('caught up with the log; sending starts', {
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

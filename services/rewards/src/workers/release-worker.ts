import type { Logger } from '@tributary/runtime/logger';
import { createRepeater } from '@tributary/runtime/repeater';
import type { ReleaseOutcome } from './release-due.ts';

/**
 * Calls the release until nothing is due, then sleeps until a fold of this process commits
 * (`wake`) or the poll interval ends: other processes' folds, holds that end and retries are found
 * by polling. Many workers may run, in one process or several.
 */
export type ReleaseWorker = {
  start(): void;
  wake(): void;
  health(): { ok: boolean; detail?: string };
  /** The log was read to its end, so what it says is known here. */
  hasReadLog(): boolean;
  /** And this generation was live at the last look. */
  isReleasing(): boolean;
  stop(): Promise<void>;
};

export function createReleaseWorker(options: {
  logger: Logger;
  /** One batch. Rejects when the database cannot be used now. */
  release: () => Promise<ReleaseOutcome>;
  /** Asked again and again until it says yes: the log must have been read first. */
  mayStart: () => Promise<boolean>;
  pollMs?: number;
  /** Between releases: commits of some more partitions share the next one. */
  gatherMs?: number;
}): ReleaseWorker {
  const { logger, release, mayStart, pollMs = 500, gatherMs = 0 } = options;
  let state: 'waiting-for-the-log' | 'running' | 'not-live' = 'waiting-for-the-log';
  let failures = 0;
  /** While they do, and when that was reported last. */
  let clocks: { differ: string; reportedMs: number } | undefined;
  const loop = createRepeater({
    everyMs: pollMs,
    gatherMs,
    async work() {
      if (state === 'waiting-for-the-log' && !(await openGate())) return gateMs;
      return releaseOnce();
    },
  });

  async function openGate(): Promise<boolean> {
    try {
      if (!(await mayStart())) return false;
    } catch (error) {
      logger.warn('cannot tell how far the log was read; trying again', { error });
      return false;
    }
    logger.info('the log has been read to its end; releases start');
    state = 'running';
    return true;
  }

  /** Says when to look again, where it is not at the next poll. */
  async function releaseOnce(): Promise<number | undefined> {
    try {
      const result = await release();
      failures = 0;
      compareClocks(result);
      if (result.outcome === 'clocks-differ') return undefined;
      if (result.outcome === 'not-live') {
        if (state !== 'not-live') logger.info('another generation issues; this one does not');
        state = 'not-live';
        return undefined;
      }
      state = 'running';
      return result.outcome === 'released' && result.hasMore ? 0 : undefined;
    } catch (error) {
      failures += 1;
      logger[failures < 5 ? 'warn' : 'error']('nothing can be released now; trying again', {
        failures,
        error,
      });
      return retryMs;
    }
  }

  /** Reported each minute: nobody is paid meanwhile. */
  function compareClocks(result: ReleaseOutcome): void {
    if (result.outcome !== 'clocks-differ') {
      if (clocks) logger.info('the clocks agree again; releases go on');
      clocks = undefined;
      return;
    }
    const { detail: differ } = result;
    const isReported = clocks && performance.now() - clocks.reportedMs < alertEveryMs;
    clocks = { differ, reportedMs: isReported ? clocks!.reportedMs : performance.now() };
    if (isReported) return;
    logger.error(
      `alert: ${differ}: no reward is released. Set the clock that is wrong; ` +
        'releases then go on by themselves (docs/runbooks/clocks.md)',
    );
  }

  return {
    start: () => loop.start(),
    wake() {
      if (state !== 'waiting-for-the-log') loop.wake();
    },
    hasReadLog: () => state !== 'waiting-for-the-log',
    isReleasing: () => state === 'running',
    health() {
      if (state === 'waiting-for-the-log') {
        return { ok: false, detail: 'reading the log up to its end before the first release' };
      }
      if (clocks) return { ok: false, detail: `${clocks.differ}: nothing is released` };
      if (failures >= 5) return { ok: false, detail: `${failures} releases in a row failed` };
      return state === 'not-live'
        ? { ok: true, detail: 'another generation is live' }
        : { ok: true };
    },
    stop: () => loop.stop(),
  };
}

const gateMs = 200;
const retryMs = 1_000;
const alertEveryMs = 60_000;

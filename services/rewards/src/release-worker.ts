import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@tributary/runtime/logger';
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
  const { logger, release, mayStart, pollMs = 500, gatherMs = 10 } = options;
  let state: 'waiting-for-the-log' | 'running' | 'not-live' = 'waiting-for-the-log';
  let failures = 0;
  /** While they do, and when that was reported last. */
  let clocks: { differ: string; reportedMs: number } | undefined;
  let stopping = false;
  let woken = false;
  let rouse: () => void = () => undefined;
  let loop: Promise<void> | undefined;

  async function run(): Promise<void> {
    while (!stopping && !(await openGate())) await sleep(200);
    while (!stopping) {
      woken = false;
      const goOn = await releaseOnce();
      if (!goOn && !woken) await sleep(failures > 0 ? 1_000 : pollMs);
      if (!stopping) await delay(gatherMs);
    }
  }

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

  /** True when more may be due right now. */
  async function releaseOnce(): Promise<boolean> {
    try {
      const result = await release();
      failures = 0;
      compareClocks(result);
      if (result.outcome === 'clocks-differ') return false;
      if (result.outcome === 'not-live') {
        if (state !== 'not-live') logger.info('another generation issues; this one does not');
        state = 'not-live';
        return false;
      }
      state = 'running';
      return result.outcome === 'released' && result.rewards > 0;
    } catch (error) {
      failures += 1;
      logger[failures < 5 ? 'warn' : 'error']('nothing can be released now; trying again', {
        failures,
        error,
      });
      return false;
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

  async function sleep(ms: number): Promise<void> {
    const timeout = new AbortController();
    const asked = new Promise<void>((resolve) => (rouse = resolve));
    await Promise.race([
      asked,
      delay(ms, undefined, { signal: timeout.signal }).catch(() => undefined),
    ]);
    timeout.abort();
  }

  function wake(): void {
    woken = true;
    if (state !== 'waiting-for-the-log') rouse();
  }

  return {
    start() {
      loop ??= run();
    },
    wake,
    hasReadLog: () => state !== 'waiting-for-the-log',
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
    async stop() {
      stopping = true;
      rouse();
      await loop;
    },
  };
}

const alertEveryMs = 60_000;

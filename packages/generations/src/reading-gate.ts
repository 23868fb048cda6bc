import type { CatchUp } from '@tributary/event-log/catch-up';
import type { Projection } from '@tributary/event-log/projection';
import type { Logger } from '@tributary/runtime/logger';
import { createRepeater } from '@tributary/runtime/repeater';

/**
 * What a generation reads now. Only time hangs on it: every order of arrival comes to the same.
 *
 *   - While it is built, what everything else names comes first, up to where the log ended when
 *     that was first asked: an event that is read before its code is decided twice. An end that no
 *     record leads to (what was compacted away, markers of a transaction) is not waited for.
 *   - A generation that is not live and has much to read gives way whenever the live one is behind,
 *     for a second, and then has a turn: beside a live one that never keeps up it is slow, and
 *     still gets to its end. It does not wait for one that stands still: a swap may be what holds
 *     it.
 */
export type ReadingGate = {
  mayRead(source: string): boolean;
  givesWay(): boolean;
  start(): void;
  stop(): Promise<void>;
};

type ReadFirst = Pick<CatchUp, 'stillMs'> & (() => Promise<boolean>);

export type Lag = ReturnType<Projection['lag']>;

export function createReadingGate(options: {
  logger: Logger;
  /** Sources that come first, and whether they have been read; absent: none does. */
  first?: { sources: readonly string[]; areRead: ReadFirst };
  own: () => Lag;
  /** That of the live generation in this process; undefined: none, or this is the live one. */
  live: () => Lag | undefined;
}): ReadingGate {
  const { logger, first, own, live } = options;
  let isOpen = first === undefined;
  let waitingSinceMs: number | undefined;

  const looks = createRepeater({
    everyMs: 200,
    work: async () => {
      if (isOpen || !first) return;
      const areRead = await first.areRead();
      if (!areRead && first.areRead.stillMs() < mostStillMs) return;
      isOpen = true;
      const { sources } = first;
      if (areRead) logger.info('what others name is read; they follow', { first: sources });
      else logger.warn('what others name was not read to its end; they follow', { first: sources });
    },
    onFailure: (error, failures) => {
      if (failures === 1) logger.warn('cannot tell how far the log was read', { error });
    },
  });

  function isBehindLive(): boolean {
    const ahead = live();
    if (ahead === undefined || ahead.records <= liveRecords) return false;
    return own().records > ownRecords && performance.now() - ahead.movedAtMs < stillMs;
  }

  return {
    mayRead: (source) => isOpen || first!.sources.includes(source),
    givesWay() {
      if (!isBehindLive()) {
        waitingSinceMs = undefined;
        return false;
      }
      const nowMs = performance.now();
      waitingSinceMs ??= nowMs;
      return nowMs - Math.max(waitingSinceMs, own().movedAtMs) < turnMs;
    },
    start: () => {
      if (first) looks.start();
    },
    stop: () => looks.stop(),
  };
}

/** A tenth of a second of 200 events a second: what a batch of them has. */
const liveRecords = 20;
/** With less to read it follows the log, and a swap may wait for it. */
const ownRecords = 1_000;
const stillMs = 5_000;
/** A turn takes some 150 ms with 500 records. */
const turnMs = 1_000;
/** Longer than the brokers need to give the partitions of a dead process to another one. */
const mostStillMs = 30_000;

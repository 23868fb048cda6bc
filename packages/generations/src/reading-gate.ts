import type { Projection } from '@tributary/event-log/projection';
import type { Logger } from '@tributary/runtime/logger';
import { createRepeater } from '@tributary/runtime/repeater';

/**
 * What a generation reads now. Only time hangs on it: every order of arrival comes to the same.
 *
 *   - While it is built, what everything else names comes first, up to where the log ended when
 *     that was first asked: an event that is read before its code is decided twice.
 *   - A generation that is not live and has much to read gives way whenever the live one is behind.
 *     It does not wait for one that stands still: a swap may be what holds it.
 */
export type ReadingGate = {
  mayRead(source: string): boolean;
  givesWay(): boolean;
  start(): void;
  stop(): Promise<void>;
};

export type Lag = ReturnType<Projection['lag']>;

export function createReadingGate(options: {
  logger: Logger;
  /** Sources that come first, and whether they have been read; absent: none does. */
  first?: { sources: readonly string[]; areRead: () => Promise<boolean> };
  own: () => Lag;
  /** That of the live generation in this process; undefined: none, or this is the live one. */
  live: () => Lag | undefined;
}): ReadingGate {
  const { logger, first, own, live } = options;
  let isOpen = first === undefined;

  const looks = createRepeater({
    everyMs: 200,
    work: async () => {
      if (isOpen || !first || !(await first.areRead())) return;
      isOpen = true;
      logger.info('what others name is read; they follow', { first: first.sources });
    },
    onFailure: (error, failures) => {
      if (failures === 1) logger.warn('cannot tell how far the log was read', { error });
    },
  });

  return {
    mayRead: (source) => isOpen || first!.sources.includes(source),
    givesWay() {
      const ahead = live();
      if (ahead === undefined || ahead.records <= liveRecords) return false;
      return own().records > ownRecords && performance.now() - ahead.movedAtMs < stillMs;
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

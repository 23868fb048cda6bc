import type { CatchUp } from '@tributary/event-log/catch-up';
import { startWhenCaughtUp } from '@tributary/event-log/start-when-caught-up';
import type { Logger } from '@tributary/runtime/logger';

/**
 * Under every new lease the log is read to its end before anything is claimed, and not only at the
 * start: a schema that is dropped, or restored from a backup, under a process that runs on takes
 * the lease along (so does a standby that takes over), and knows nothing of what was sent since.
 */
export type ClaimGate = {
  /** There is a new lease. */
  readAgain(): void;
  /** Open while ok. */
  health(): { ok: boolean; detail?: string };
  /** What has to be left alone while it is open: its partition was stopped before that end. */
  isUnread: CatchUp['isUnread'];
  stop(): void;
};

export function createClaimGate(options: {
  logger: Logger;
  /** A new question on each call: has everything been applied that is on the log by now? */
  createCatchUp: () => CatchUp;
  onOpen: () => void;
}): ClaimGate {
  const { logger, createCatchUp, onOpen } = options;
  let reading: ReturnType<typeof startWhenCaughtUp> | undefined;
  let caughtUp: CatchUp | undefined;
  return {
    readAgain() {
      reading?.stop();
      caughtUp = createCatchUp();
      reading = startWhenCaughtUp({
        logger,
        work: 'claims',
        caughtUp,
        start: onOpen,
      });
    },
    health: () => reading?.health() ?? { ok: false, detail: 'there is no lease yet' },
    isUnread: (topic, key) => caughtUp?.isUnread(topic, key) ?? true,
    stop: () => reading?.stop(),
  };
}

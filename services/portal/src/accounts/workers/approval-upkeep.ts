import type { Logger } from '@tributary/runtime/logger';
import { createRepeater, type Repeater } from '@tributary/runtime/repeater';
import type { Office } from '../commands/office.ts';
import { forgetExpiredBodies } from '../db/approvals.ts';

/** Forgets what was asked and not decided within its day: it may name people. */
export function createApprovalUpkeep(options: {
  office: Pick<Office, 'pool' | 'clock'>;
  logger: Logger;
  everyMs?: number;
}): Repeater {
  const { office, logger, everyMs = 60_000 } = options;
  return createRepeater({
    everyMs,
    work: () => forgetExpiredBodies(office.pool, office.clock.now()),
    onFailure: (error) => logger.warn('expired approvals are not forgotten yet', { error }),
  });
}

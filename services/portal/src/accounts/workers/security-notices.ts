import type { Logger } from '@tributary/runtime/logger';
import { createRepeater, type Repeater } from '@tributary/runtime/repeater';
import { sendNotices } from '../commands/notices.ts';
import type { Office } from '../commands/office.ts';

/** Sends what people are told of changes to how they sign in. */
export function createNoticeSender(options: {
  office: Office;
  logger: Logger;
  everyMs?: number;
}): Repeater {
  const { office, logger, everyMs = 2_000 } = options;
  return createRepeater({
    everyMs,
    work: async (stopping) => {
      while (!stopping()) if ((await sendNotices(office)) === 0) return;
    },
    onFailure: (error) => logger.warn('notices could not be sent; trying again', { error }),
  });
}

import type { InternalClient } from '@tributary/http/internal-client';
import type { Logger } from '@tributary/runtime/logger';
import { createRepeater, type Repeater } from '@tributary/runtime/repeater';
import { askForMissingChecks } from '../commands/ask-for-check.ts';
import type { Deployment } from '../commands/deployment.ts';

/** Sees to it that each commit is checked, whatever became of the process that published it. */
export function createCommitChecks(options: {
  deployment: Deployment;
  replay: InternalClient;
  logger: Logger;
  everyMs?: number;
}): Repeater {
  const { deployment, replay, logger, everyMs = 10_000 } = options;
  return createRepeater({
    everyMs,
    work: async (stopping) => {
      while (!stopping() && (await askForMissingChecks(deployment, replay)));
    },
    onFailure: (error) => {
      logger.warn('checks of commits could not be asked for; trying again', { error });
    },
  });
}

import type { Topic, TopicWiring } from '@tributary/contracts/topics';
import type { Component } from '@tributary/runtime/component';
import type { Logger } from '@tributary/runtime/logger';
import { createRepeater } from '@tributary/runtime/repeater';
import type { KafkaConnection } from './kafka.ts';
import { findMissingRights, whoGivesRights } from './missing-rights.ts';

/**
 * Says which right the principal of a service lacks, at its start and while it lacks it: in the log
 * and in `/readyz`. The service goes on trying meanwhile, and works as soon as the right is given.
 *
 * @param options.whenAllowed looks at the topics, which takes the rights; it may refuse the start.
 */
export function createRightsWatch(options: {
  kafka: KafkaConnection;
  service: string;
  wiring: TopicWiring;
  topics: readonly Topic[];
  logger: Logger;
  whenAllowed: () => Promise<void>;
  everyMs?: number;
}): Component & { start(): Promise<void> } {
  const { logger, whenAllowed, everyMs = 5_000 } = options;
  let wrong: string | undefined;
  let isChecked = false;
  let hasStarted = false;

  async function look(): Promise<void> {
    const missing = await findMissingRights(options);
    if (missing.length > 0) {
      const found = missing.join('; ');
      if (found !== wrong) logger.error(`alert: ${found}: ${whoGivesRights}`);
      wrong = found;
      return;
    }
    if (wrong !== undefined) logger.info('the brokers allow what this service needs now');
    if (!isChecked) await whenAllowed();
    isChecked = true;
    wrong = undefined;
  }

  const repeater = createRepeater({
    everyMs,
    async work() {
      // The first look was the start's own.
      if (hasStarted) await look();
      hasStarted = true;
      return wrong === undefined ? rarelyMs : everyMs;
    },
    onFailure: (error) => {
      logger.warn('whether the brokers allow what this service needs is not known', { error });
      // That they do not answer is a check of its own.
      if (!isChecked) wrong = error instanceof Error ? error.message : String(error);
    },
  });
  return {
    async start() {
      await look();
      repeater.start();
    },
    health: () => (wrong === undefined ? { ok: true } : { ok: false, detail: wrong }),
    stop: () => repeater.stop(),
  };
}

/** A right may be taken away from a service that runs. */
const rarelyMs = 60_000;

import { topicName } from '@tributary/contracts/topics';
import { readGroupOffsets } from '@tributary/event-log/group-offsets';
import type { KafkaConnection } from '@tributary/event-log/kafka';
import { readWatermarks } from '@tributary/event-log/watermarks';
import { readLiveGeneration } from '@tributary/generations/registry';
import type { Logger } from '@tributary/runtime/logger';
import type pg from 'pg';
import { readStages } from './generations/stages.ts';
import type { ReplaySettings } from '../settings.ts';
import { createLagEvaluator } from '../domain/live-lag.ts';

/** Asked about once a second by what reads and folds history; `lag` is that of the last answer. */
export type YieldToLive = { asks(): Promise<boolean>; lag(): number | undefined };

export function createYieldToLive(options: {
  kafka: KafkaConnection;
  pool: pg.Pool;
  settings: ReplaySettings;
  logger: Logger;
}): YieldToLive {
  const { kafka, pool, settings, logger } = options;
  const evaluate = createLagEvaluator({ limit: settings.yieldLag });
  let lag: number | undefined;

  async function sample() {
    const generation = await readLiveGeneration(pool);
    const { attribution } = await readStages(pool, generation);
    const wiring = { ...settings.topics, generation };
    const topics = attribution.topics.map((topic) => topicName(topic, wiring));
    const committed = await readGroupOffsets(kafka, attribution.group, topics);
    const marks = await readWatermarks(kafka, topics);
    const ends = new Map([...marks].map(([partition, { high }]) => [partition, high]));
    return { atMs: performance.now(), ends, committed };
  }

  return {
    async asks() {
      try {
        const evaluated = evaluate(await sample());
        lag = evaluated.lag;
        return evaluated.yields;
      } catch (error) {
        // Nobody knows; what reads the log will find out whether it can.
        logger.warn('cannot see how far live attribution is', { error });
        return false;
      }
    },
    lag: () => lag,
  };
}

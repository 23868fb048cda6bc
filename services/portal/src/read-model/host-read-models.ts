import type { Topic } from '@tributary/contracts/topics';
import { topicName } from '@tributary/contracts/topics';
import type { Appender } from '@tributary/event-log/appender';
import type { KafkaConnection } from '@tributary/event-log/kafka';
import { checkTopics, topicSpecs } from '@tributary/event-log/topic-admin';
import { groupOfGeneration, schemaOfGeneration } from '@tributary/generations/generation';
import { hostGenerations } from '@tributary/generations/host-generations';
import { openGenerations, prepareGenerations } from '@tributary/generations/open-generations';
import { createPositionWatch } from '@tributary/generations/position-watch';
import type { Check } from '@tributary/http/admin-listener';
import type { OnStop } from '@tributary/runtime/lifecycle';
import type { Logger } from '@tributary/runtime/logger';
import type { PostgresSettings, TopicWiring } from '@tributary/runtime/variables';
import {
  projectionName,
  type ReadModel,
  startReadModel,
  type StartedReadModel,
} from './start-read-model.ts';

export type HostedReadModel = ReadModel & {
  /** Whether each generation is read that should be. */
  generations: () => Check | Promise<Check>;
};

/** What a generation writes of its own; all other topics are the same for all of them. */
const generationalTopics: readonly Topic[] = ['attributions', 'rewards'];

/**
 * One read model per registered generation, each in a schema of its own, so that after a swap the
 * admin API reads what the new generation says at once. Whoever asks is answered from the live one.
 *
 * A generation that is lost is read on here: its topics are whole, and what they say is the newest
 * there is until another generation is live.
 */
export async function hostReadModels(options: {
  postgres: PostgresSettings;
  /** Of the first generation; the others' names follow from them. */
  schema: string;
  group: string;
  generationsSchema: string;
  /** Read this generation only; absent: all that are registered. */
  only: number | undefined;
  topics: TopicWiring;
  kafka: KafkaConnection;
  appender: Appender;
  logger: Logger;
  onStop: OnStop;
}): Promise<HostedReadModel> {
  const { postgres, schema, group, topics, kafka, appender, logger, onStop } = options;
  const registryAt = { ...postgres, schema: options.generationsSchema };
  const registry = await openGenerations(registryAt, { logger, onStop, service: 'portal' });
  const hosted = await hostGenerations<StartedReadModel>({
    pool: registry,
    remake: () => prepareGenerations(registryAt, logger),
    only: options.only,
    runs: () => true,
    logger,
    onStop,
    start: async (generation, life) => {
      const wiring = { ...topics, generation };
      await checkTopics({ kafka, topics: topicSpecs(wiring, generationalTopics) });
      const readModel = await startReadModel({
        ...life,
        postgres: { ...postgres, schema: schemaOfGeneration(schema, generation) },
        group: groupOfGeneration(group, generation),
        kafka,
        appender,
        nameOf: (topic) => topicName(topic, wiring),
      });
      const isIntact = createPositionWatch({ pool: readModel.pool, projection: projectionName });
      return { ...readModel, isIntact };
    },
  });
  return {
    generations: () => hosted.checks()['generations']!(),
    get pool() {
      const live = hosted.live();
      if (!live) throw new ReadModelMissing();
      return live.pool;
    },
    freshness: {
      asOf: () => hosted.live()?.freshness.asOf(),
      behind: () => hosted.live()?.freshness.behind() ?? 0,
    },
    health: () => checkOfLive(hosted.live()?.health()),
    relayHealth: () => checkOfLive(hosted.live()?.relayHealth()),
  };
}

/** The live generation's read model is not there yet, or just not any more; soon it is. */
export class ReadModelMissing extends Error {
  readonly retryable = true;
  constructor() {
    super('the read model of the live generation is not running here yet');
    this.name = 'ReadModelMissing';
  }
}

function checkOfLive(check: Check | undefined): Check {
  return check ?? { ok: false, detail: new ReadModelMissing().message };
}

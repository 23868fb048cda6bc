import { topicName } from '@tributary/contracts/topics';
import type { Appender } from '@tributary/event-log/appender';
import type { KafkaConnection } from '@tributary/event-log/kafka';
import { checkTopics, topicSpecs } from '@tributary/event-log/topic-admin';
import type { OnStop } from '@tributary/runtime/lifecycle';
import type { Logger } from '@tributary/runtime/logger';
import type { PostgresSettings, TopicWiring } from '@tributary/runtime/variables';
import { type Check, hostGenerations } from './host-generations.ts';
import { openGenerations, prepareGenerations } from './open-generations.ts';
import {
  generationalTopics,
  type ReadModel,
  type ReadModelPlan,
  type StartedReadModel,
  startReadModel,
} from './start-read-model.ts';

export type HostedReadModel = ReadModel & {
  /** Whether each generation is read that should be. */
  generations: () => Check | Promise<Check>;
};

/**
 * One read model per registered generation, each in a schema of its own, so that after a swap
 * whoever asks is answered with what the new generation says at once: answers are the live one's.
 *
 * A generation that is lost is read on here: its topics are whole, and what they say is the newest
 * there is until another generation is live.
 */
export async function hostReadModels(options: {
  service: string;
  plan: ReadModelPlan;
  postgres: PostgresSettings;
  /** The schema of the first generation; the names of the others follow from it. */
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
  const { service, plan, postgres, schema, group, topics, kafka, appender } = options;
  const { logger, onStop } = options;
  const registryAt = { ...postgres, schema: options.generationsSchema };
  const registry = await openGenerations(registryAt, { logger, onStop, service });
  const hosted = await hostGenerations<StartedReadModel>({
    pool: registry,
    remake: () => prepareGenerations(registryAt, logger),
    stage: { name: service, schema, group, projection: plan.projection, topics: plan.topics },
    only: options.only,
    runs: () => true,
    logger,
    onStop,
    start: async (stage, life) => {
      const wiring = { ...topics, generation: stage.generation };
      await checkTopics({ kafka, topics: topicSpecs(wiring, generationalTopics(plan)) });
      return startReadModel({
        ...life,
        plan,
        postgres: { ...postgres, schema: stage.schema },
        group: stage.group,
        kafka,
        appender,
        nameOf: (topic) => topicName(topic, wiring),
      });
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
    hasCaughtUp: async () => (await hosted.live()?.hasCaughtUp()) ?? false,
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

import { type Topic, topicName } from '@tributary/contracts/topics';
import type { Appender } from '@tributary/event-log/appender';
import { consumerGauges } from '@tributary/event-log/consumer-state';
import type { KafkaConnection } from '@tributary/event-log/kafka';
import { requireRights } from '@tributary/event-log/missing-rights';
import { checkTopics, topicSpecs } from '@tributary/event-log/topic-admin';
import type { Composition, Gauges, Health } from '@tributary/runtime/component';
import type { OnStop } from '@tributary/runtime/lifecycle';
import type { Logger } from '@tributary/runtime/logger';
import { poolGauges } from '@tributary/runtime/postgres';
import { type FoldSettings, hostFold } from './host-fold.ts';
import {
  generationalTopics,
  type ReadModel,
  type ReadModelPlan,
  startReadModel,
} from './start-read-model.ts';

/**
 * One read model per registered generation, each in a schema of its own, so that after a swap
 * whoever asks is answered with what the new generation says at once: answers are the live one's.
 *
 * A generation that is lost is read on here: its topics are whole, and what they say is the newest
 * there is until another generation is live.
 */
export async function hostReadModels(
  settings: FoldSettings,
  options: Pick<Composition, 'add'> & {
    service: string;
    plan: ReadModelPlan;
    kafka: KafkaConnection;
    appender: Appender;
    logger: Logger;
    onStop: OnStop;
    /** Whether the service is ready only once it has read the log to its end. */
    readyWhenRead?: boolean;
  },
): Promise<ReadModel> {
  const { service, plan, kafka, appender, add, readyWhenRead = false } = options;
  const hosted = await hostFold(settings, {
    ...options,
    projection: plan.projection,
    topics: plan.topics,
    runs: () => true,
    start: async ({ topics, postgres, group }, { logger, onStop, isLive }) => {
      // What may not be seen looks as if it were not there.
      await requireRights({ kafka, service, wiring: topics, topics: plan.topics });
      await checkTopics({ kafka, topics: topicSpecs(topics, generationalTopics(plan)) });
      const nameOf = (topic: Topic) => topicName(topic, topics);
      const log = { kafka, appender, nameOf };
      const { generation } = topics;
      const run = { generation, isLive, logger, onStop };
      return startReadModel({ ...log, plan, postgres, group, ...run });
    },
  });
  const model: ReadModel = {
    get pool() {
      const live = hosted.live();
      if (!live) throw new ReadModelMissing();
      return live.pool;
    },
    get schema() {
      const live = hosted.live();
      if (!live) throw new ReadModelMissing();
      return live.schema;
    },
    freshness: {
      asOf: () => hosted.live()?.freshness.asOf(),
      behind: () => hosted.live()?.freshness.behind() ?? 0,
    },
    hasCaughtUp: async () => (await hosted.live()?.hasCaughtUp()) ?? false,
    health: () => hosted.live()?.health() ?? missing(),
    relayHealth: () => hosted.live()?.relayHealth() ?? missing(),
  };
  add('generations', { health: hosted.checks()['generations']! });
  if (readyWhenRead) add('first-read', { health: createFirstRead(model) });
  add('read-model', {
    health: async () => (readyWhenRead && !(await model.hasCaughtUp()) ? reading : model.health()),
    gauges: {
      ...asOfGauge(model),
      ...poolGauges('read-model', () => model.pool),
      ...consumerGauges(() => [...hosted.running().values()].map(({ consumer }) => consumer())),
    },
  });
  add('read-model-outbox', { health: model.relayHealth });
  return model;
}

/** The live generation's read model is not there yet, or just not any more; soon it is. */
export class ReadModelMissing extends Error {
  readonly retryable = true;
  constructor() {
    super('the read model of the live generation is not running here yet');
    this.name = 'ReadModelMissing';
  }
}

/** Once it has read the log, it answers from what it has. */
function createFirstRead(model: Pick<ReadModel, 'hasCaughtUp'>): () => Promise<Health> {
  let hasRead = false;
  return async () => {
    hasRead ||= await model.hasCaughtUp();
    return hasRead ? { ok: true } : reading;
  };
}

const missing = (): Health => ({ ok: false, detail: new ReadModelMissing().message });
const reading: Health = { ok: false, detail: 'reading the log up to its end' };

function asOfGauge({ freshness }: ReadModel): Gauges {
  return {
    tributary_read_model_as_of_timestamp_seconds: {
      help:
        'Everything on the log at this time is in the read model of the live generation; 0 while ' +
        'it is being built. The same for every replica that has looked; use max.',
      read: () => (freshness.asOf()?.getTime() ?? 0) / 1_000,
    },
  };
}

import { type Topic, topics } from '@tributary/contracts/topics';
import { connectDatabase } from '@tributary/event-log/connect-database';
import { connectLog } from '@tributary/event-log/connect-log';
import { createRelay } from '@tributary/event-log/outbox';
import { countPartitions, hasTopic } from '@tributary/event-log/topic-admin';
import { hostReadModels } from '@tributary/generations/host-read-models';
import { startAdminListener } from '@tributary/http/admin-listener';
import { createInternalClient } from '@tributary/http/internal-client';
import { createRegistry } from '@tributary/http/metrics';
import { registerFreshness } from '@tributary/http/read-model-metrics';
import { listen } from '@tributary/http/server';
import { createBearerVerifier } from '@tributary/http/tokens';
import { type Clock, systemClock } from '@tributary/runtime/clock';
import { createIdSource } from '@tributary/runtime/ids';
import type { OnStop } from '@tributary/runtime/lifecycle';
import type { Logger } from '@tributary/runtime/logger';
import { postgresCheck } from '@tributary/runtime/postgres';
import type { KeyRing } from '@tributary/runtime/secrets';
import type { KafkaSettings, PostgresSettings, TopicWiring } from '@tributary/runtime/variables';
import { fileURLToPath } from 'node:url';
import { createDocsHandler } from './adapters/docs/docs-handler.ts';
import { loadDocs } from './adapters/docs/load-docs.ts';
import { createAdminApi } from './adapters/http/admin-api.ts';
import { startCatalogRecovery } from './catalog-recovery.ts';
import type { Deployment } from './commands/deployment.ts';
import { createCommitChecks } from './commit-checks.ts';
import type { Environment } from './domain/addresses.ts';
import { createPeopleUpkeep } from './people-upkeep.ts';
import { registerDeadLetters } from './read-model/metrics.ts';
import { readModelPlan } from './read-model/plan.ts';

export type PortalSettings = {
  environment: Environment;
  host: string;
  port: number;
  adminPort: number;
  kafka: KafkaSettings;
  postgres: PostgresSettings;
  topics: TopicWiring;
  keyRing: KeyRing;
  accessKeyDigestKey: Buffer;
  uccKey: Buffer;
  operatorTokens: readonly string[];
  /** The read model's own schema, beside the one of the catalog; of the first generation. */
  readModelSchema: string;
  /** The group of the first generation's read model. */
  group: string;
  /** Where it is said which generations there are. */
  generationsSchema: string;
  /** The only one that is read here; absent: all that are registered. */
  generation?: number | undefined;
  /** Presented to the services at these addresses. */
  internalToken: string;
  attributionUrl: string;
  rewardsUrl: string;
  webhookDispatcherUrl: string;
  replayUrl: string;
  processorUrl: string;
  /** The edge, as the payment processor sees it. */
  publicUrl: string;
  /** Keys of the tokens that customers present. */
  tokenSigningKeys: KeyRing;
  /** Replaced only by tests that cannot wait for a minute. */
  peopleUpkeepEveryMs?: number;
  commitChecksEveryMs?: number;
};

const service = 'portal';
/**
 * A test delivery waits for the customer's endpoint, a connection for Stripe; the edge waits for 30
 * s.
 */
const outsideAnswerMs = 25_000;
/** It writes catalog, codes and people; its read models read all, each those of its generation. */
const topicsUsed = (Object.keys(topics) as Topic[]).filter((topic) => !topics[topic].generational);

/**
 * Builds and starts the service. Stops are handed to `onStop` as things start, to be run in
 * reverse: the public listener first, so that what it accepted still reaches Postgres and the log.
 */
export async function startPortal(
  settings: PortalSettings,
  options: { logger: Logger; onStop: OnStop; clock?: Clock },
): Promise<{ port: number; adminPort: number }> {
  const { logger, onStop, clock = systemClock } = options;

  const life = { service, logger, onStop };
  const pool = await connectDatabase(settings.postgres, { ...life, migrationsDir });

  const { kafka, appender, nameOf } = await connectLog(settings, { ...life, topicsUsed });
  const relay = createRelay({ pool, appender, logger });
  await relay.start();
  onStop('relay', () => relay.stop());
  const group = `${settings.group}-catalog`;
  const recovery = await startCatalogRecovery({ pool, kafka, group, nameOf, logger, onStop });

  const deployment: Deployment = {
    pool,
    isCurrent: (tx) => recovery.isCurrent(tx),
    heldUpBy: () => recovery.heldUpBy(),
    clock,
    environment: settings.environment,
    publicUrl: settings.publicUrl,
    topics: { catalog: nameOf('catalog'), codes: nameOf('codes'), people: nameOf('people') },
    keyRing: settings.keyRing,
    accessKeyDigestKey: settings.accessKeyDigestKey,
    uccKey: settings.uccKey,
    randomId: createIdSource().base62,
  };
  const upkeep = createPeopleUpkeep({
    deployment,
    appender,
    partitionsOf: (topic) => countPartitions(kafka, topic),
    logger,
    ...(settings.peopleUpkeepEveryMs && { everyMs: settings.peopleUpkeepEveryMs }),
  });
  upkeep.start();
  onStop('people upkeep', () => upkeep.stop());

  const readModel = await hostReadModels({
    service: 'portal',
    plan: readModelPlan,
    postgres: settings.postgres,
    schema: settings.readModelSchema,
    group: settings.group,
    generationsSchema: settings.generationsSchema,
    only: settings.generation,
    topics: settings.topics,
    kafka,
    appender,
    logger,
    onStop,
  });

  const internalClient = (asked: string, baseUrl: string, about: { timeoutMs?: number } = {}) =>
    createInternalClient({
      service: asked,
      baseUrl,
      token: settings.internalToken,
      logger,
      ...about,
    });
  const replay = internalClient('replay', settings.replayUrl);
  const commitChecks = createCommitChecks({
    deployment,
    replay,
    logger,
    ...(settings.commitChecksEveryMs && { everyMs: settings.commitChecksEveryMs }),
  });
  commitChecks.start();
  onStop('checks of commits', () => commitChecks.stop());

  const app = createAdminApi({
    deployment,
    services: {
      attribution: internalClient('attribution', settings.attributionUrl),
      rewards: internalClient('rewards', settings.rewardsUrl),
      webhookDispatcher: internalClient('webhook-dispatcher', settings.webhookDispatcherUrl, {
        timeoutMs: outsideAnswerMs,
      }),
      replay,
      processor: internalClient('processor-events', settings.processorUrl, {
        timeoutMs: outsideAnswerMs,
      }),
    },
    readModel,
    deadLetters: {
      appender,
      clock,
      prefix: settings.topics.prefix,
      topic: nameOf('deadLetters'),
      hasTopic: (name) => hasTopic(kafka, name),
    },
    verifyBearer: createBearerVerifier({
      keys: settings.tokenSigningKeys,
      environment: settings.environment,
      clock,
      // The tables know of a revocation before the topic does; they are asked by the route.
      isActive: () => true,
    }),
    docs: createDocsHandler(await loadDocs()),
    operatorTokens: settings.operatorTokens,
    logger,
  });
  // A change must build on all that was published; one that cannot is refused.
  await recovery.recovered();
  const { host } = settings;
  const listener = await listen({ app, host, port: settings.port, logger });
  onStop('public listener', () => listener.stop());

  // After the public one: ready means that requests can come.
  const registry = createRegistry(service);
  registerFreshness(registry, readModel);
  registerDeadLetters(registry, readModel);
  const adminPort = await startAdminListener(settings, {
    ...life,
    registry,
    checks: {
      kafka: () => appender.health(),
      outbox: () => relay.health(),
      'catalog-recovery': () => recovery.health(),
      postgres: postgresCheck(pool),
      generations: () => readModel.generations(),
      'read-model': () => readModel.health(),
      'read-model-outbox': () => readModel.relayHealth(),
    },
  });
  return { port: listener.port, adminPort };
}

const migrationsDir = fileURLToPath(new URL('../migrations', import.meta.url));

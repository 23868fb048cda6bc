import { fileURLToPath } from 'node:url';
import { createKafka } from '@tributary/event-log/kafka';
import { createRightsWatch } from '@tributary/event-log/rights-watch';
import { checkTopics, topicSpecs } from '@tributary/event-log/topic-admin';
import { prepareGenerations } from '@tributary/generations/open-generations';
import { createAdminListener, everything, type Losses } from '@tributary/http/admin-listener';
import { createInternalRouter } from '@tributary/http/internal-router';
import { createLife } from '@tributary/http/service-life';
import { createIdSource } from '@tributary/runtime/ids';
import type { OnStop } from '@tributary/runtime/lifecycle';
import type { Logger } from '@tributary/runtime/logger';
import { migrate, type MigrationSet } from '@tributary/runtime/migrate';
import { createPool, poolComponent } from '@tributary/runtime/postgres';
import { createReadModelPools } from './db/read-model-pools.ts';
import { createGenerationRoutes } from './http/generation-routes.ts';
import { createStageRoutes } from './http/stage-routes.ts';
import { createRecovery } from './workers/recover-lost.ts';
import { createJobRoutes } from './http/job-routes.ts';
import { createJobRunner } from './workers/job-runner.ts';
import { createReplayMetrics } from './metrics.ts';
import { createPreviewRoutes } from './http/preview-routes.ts';
import type { ReplaySettings } from './settings.ts';

const service = 'replay';
const losses: Losses = { postgres: everything };
/** Specs have other kinds of jobs. */
const kindsOfThisService = new URL('./commands/kinds.ts', import.meta.url).href;

export const replayMigrations: MigrationSet = {
  dir: fileURLToPath(new URL('../migrations', import.meta.url)),
  table: 'migration',
};

/** Its own, and the registry of generations. */
export async function makeTables(
  { postgres, generationsSchema }: ReplaySettings,
  logger: Logger,
): Promise<void> {
  const { schema } = postgres;
  await migrate({ settings: postgres, schema, sets: [replayMigrations], logger });
  await prepareGenerations({ ...postgres, schema: generationsSchema }, logger);
}

export async function startReplay(
  settings: ReplaySettings,
  options: { logger: Logger; onStop: OnStop; kindsUrl?: string },
): Promise<{ adminPort: number }> {
  const { logger, onStop, kindsUrl = kindsOfThisService } = options;
  const life = createLife({ service, logger, onStop });

  await makeTables(settings, logger);
  const pool = createPool(settings.postgres, {
    searchPath: [settings.postgres.schema, settings.generationsSchema],
    applicationName: service,
    logger,
  });
  life.add('postgres', poolComponent(pool));
  const readModelPools = createReadModelPools(settings, { applicationName: service, logger });
  onStop('read-model-databases', async () => {
    await Promise.all(readModelPools.map((each) => each.end()));
  });

  const kafka = createKafka({ settings: settings.kafka, clientId: service, logger });
  const read = ['events', 'codes', 'catalog', 'issuances'] as const;
  await life.start(
    'kafka-rights',
    createRightsWatch({
      ...{ kafka, service, wiring: settings.topics, topics: read, logger },
      whenAllowed: () => checkTopics({ kafka, topics: topicSpecs(settings.topics, read) }),
    }),
  );

  const metrics = createReplayMetrics(life.registry, pool);
  const runner = createJobRunner({ pool, settings, logger, kindsUrl, onEnded: metrics.ended });
  await life.start('jobs', runner);
  const ids = createIdSource();
  await life.start(
    'recovery',
    createRecovery({
      pool,
      remake: () => makeTables(settings, logger),
      newJobId: () => ids.uuidv7(),
      onAsked: () => runner.wake(),
      logger,
    }),
  );

  const routes = [
    ...createJobRoutes({ pool, ids, wake: () => runner.wake() }),
    ...createGenerationRoutes({ pool }),
    ...createStageRoutes({ pool, readModelPools, kafka, prefix: settings.topics.prefix }),
    ...createPreviewRoutes({ pool }),
  ];
  const router = createInternalRouter(routes, life);
  const listener = life.add(
    'admin-listener',
    createAdminListener(settings, { ...life, losses }, router),
  );
  return { adminPort: await listener.start() };
}

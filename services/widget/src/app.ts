import type { ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import type { Topic } from '@tributary/contracts/topics';
import { createAppender } from '@tributary/event-log/appender';
import { connectLog } from '@tributary/event-log/connect-log';
import { followCatalog } from '@tributary/event-log/follow-catalog';
import { createProjectionBarrier } from '@tributary/event-log/projection-barrier';
import { hostReadModels } from '@tributary/generations/host-read-models';
import { type Checks, startAdminListener } from '@tributary/http/admin-listener';
import { createCatalogView } from '@tributary/http/catalog-view';
import { createRegistry } from '@tributary/http/metrics';
import { registerFreshness } from '@tributary/http/read-model-metrics';
import { requestIdOf } from '@tributary/http/request-id';
import { createRequestObserver } from '@tributary/http/request-observer';
import { listen } from '@tributary/http/server';
import { createWidgetTokenVerifier } from '@tributary/http/widget-token';
import { type Clock, systemClock } from '@tributary/runtime/clock';
import type { OnStop } from '@tributary/runtime/lifecycle';
import type { Logger } from '@tributary/runtime/logger';
import type { KeyRing } from '@tributary/runtime/secrets';
import type { KafkaSettings, PostgresSettings, TopicWiring } from '@tributary/runtime/variables';
import { createAssetsRoute } from './adapters/http/assets-route.ts';
import { createConfigRoute } from './adapters/http/config-route.ts';
import { type Assets, loadAssets } from './adapters/http/load-assets.ts';
import { createPublicApp, type RouteName } from './adapters/http/public-app.ts';
import { createSessionRoute, type SessionMoment } from './adapters/http/session-route.ts';
import { createFindCampaignConfig } from './campaign-config.ts';
import { createKnowledge } from './knowledge.ts';
import { createWidgetMetrics } from './metrics.ts';
import { createOpenSession } from './open-session.ts';
import { readModelPlan } from './read-model/plan.ts';
import { createCurrentTokenVerifier } from './verify-current-token.ts';

export type WidgetServiceSettings = {
  environment: 'prod' | 'sandbox';
  host: string;
  port: number;
  adminPort: number;
  kafka: KafkaSettings;
  /** Its schema is the one of the first generation's projection. */
  postgres: PostgresSettings;
  topics: TopicWiring;
  /** The group of the first generation's projection. */
  group: string;
  /** Where it is said which generations there are. */
  generationsSchema: string;
  /** The only one that is read here; absent: all that are registered. */
  generation?: number | undefined;
  /** Opens product secrets. */
  secrets: KeyRing;
  uccKey: Buffer;
  appendDeadlineMs: number;
  /** The built scripts; replaced only by tests. */
  assetsDir?: string;
};

const service = 'widget';
const topicsUsed: readonly Topic[] = ['codes', 'people', 'events', 'catalog', 'deadLetters'];

/**
 * Builds and starts the service. Stops are handed to `onStop` as things start, to be run in
 * reverse: first the public listener finishes its requests, last the connections close.
 */
export async function startWidget(
  settings: WidgetServiceSettings,
  options: { logger: Logger; onStop: OnStop; clock?: Clock },
): Promise<{ port: number; adminPort: number }> {
  const { logger, onStop, clock = systemClock } = options;
  const { host } = settings;
  const registry = createRegistry(service);
  const metrics = createWidgetMetrics(registry);
  const assets = await loadAssets(settings.assetsDir ?? builtAssets);

  const life = { service, logger, onStop };
  const { kafka, appender, nameOf } = await connectLog(settings, {
    ...life,
    topicsUsed,
    makeAppender: (connection) =>
      createAppender({ kafka: connection, logger, deadlineMs: settings.appendDeadlineMs }),
  });
  const catalogView = createCatalogView();
  const catalog = followCatalog({ kafka, nameOf }, catalogView, life);
  const readModel = await hostReadModels({
    service,
    plan: readModelPlan,
    postgres: settings.postgres,
    schema: settings.postgres.schema,
    group: settings.group,
    generationsSchema: settings.generationsSchema,
    only: settings.generation,
    topics: settings.topics,
    kafka,
    appender,
    logger,
    onStop,
  });
  registerFreshness(registry, readModel);
  const codesBarrier = createProjectionBarrier({
    kafka,
    logger,
    pool: () => readModel.pool,
    name: readModelPlan.projection,
    topics: [nameOf('codes')],
  });
  onStop('codes barrier', () => codesBarrier.stop());
  const becomeCurrent = () => Promise.all([catalog.becomeCurrent(), codesBarrier.becomeCurrent()]);

  let open = false;
  // The admin listener first: it says what the start is waiting for.
  const checks: Checks = {
    kafka: () => appender.health(),
    catalog: () => catalog.health(),
    generations: () => readModel.generations(),
    'read-model': async () =>
      (await readModel.hasCaughtUp())
        ? readModel.health()
        : { ok: false, detail: 'reading the log up to its end' },
    'read-model-outbox': () => readModel.relayHealth(),
    'public-listener': () => (open ? { ok: true } : { ok: false, detail: 'not open yet' }),
  };
  const adminPort = await startAdminListener(settings, { ...life, registry, checks });

  // Without the catalog nobody's token could be judged.
  await catalog.start();
  const app = publicApp(assets);
  const listener = await listen({ app, host, port: settings.port, logger });
  onStop('public listener', () => listener.stop());
  open = true;
  return { port: listener.port, adminPort };

  function publicApp(loaded: Assets) {
    const knowledge = createKnowledge(readModel, clock);
    const topics = {
      codes: nameOf('codes'),
      people: nameOf('people'),
      events: nameOf('events'),
    };
    return createPublicApp({
      assetsRoute: createAssetsRoute(loaded),
      sessionRoute: createSessionRoute({
        verify: createCurrentTokenVerifier({
          verify: createWidgetTokenVerifier({
            catalog: catalogView,
            secrets: settings.secrets,
            clock,
          }),
          becomeCurrent: () => catalog.becomeCurrent(),
        }),
        openSession: createOpenSession({
          catalog: catalogView,
          reads: knowledge,
          appender,
          topics,
          uccKey: settings.uccKey,
          becomeCurrent,
          clock,
        }),
        onSession,
      }),
      configRoute: createConfigRoute({
        findCampaignConfig: createFindCampaignConfig({
          environment: settings.environment,
          catalog: catalogView,
          findCode: knowledge.findCode,
          personOf: knowledge.personOf,
          becomeCurrent,
          clock,
        }),
      }),
      observe: createRequestObserver<RouteName>(registry, logger),
      logger,
    });
  }

  function onSession(moment: SessionMoment, res: ServerResponse): void {
    metrics.session(moment);
    const requestId = requestIdOf(res);
    if (moment.outcome === 'fault') {
      logger.info('a widget token was refused', { requestId, fault: moment.fault });
    }
    if (moment.outcome === 'unavailable') {
      logger.warn('a session was refused for now', { requestId, detail: moment.detail });
    }
  }
}

const builtAssets = fileURLToPath(new URL('../dist', import.meta.url));

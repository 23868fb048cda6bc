import type { ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import type { Topic } from '@tributary/contracts/topics';
import { createAppender } from '@tributary/event-log/appender';
import { connectLog } from '@tributary/event-log/connect-log';
import { followCatalog } from '@tributary/event-log/follow-catalog';
import { createProjectionBarrier } from '@tributary/event-log/projection-barrier';
import type { FoldSettings } from '@tributary/generations/host-fold';
import { hostReadModels } from '@tributary/generations/host-read-models';
import { createAdminListener, everything, type Losses } from '@tributary/http/admin-listener';
import { createCatalogView } from '@tributary/http/catalog-view';
import { createListener } from '@tributary/http/listener';
import { requestIdOf } from '@tributary/http/request-id';
import { createRequestObserver } from '@tributary/http/request-observer';
import { createRequestLimits } from '@tributary/http/request-limits';
import { createLife } from '@tributary/http/service-life';
import { createWidgetTokenVerifier } from '@tributary/http/widget-token';
import { type Clock, systemClock } from '@tributary/runtime/clock';
import type { OnStop } from '@tributary/runtime/lifecycle';
import type { Logger } from '@tributary/runtime/logger';
import type { KeyRing } from '@tributary/runtime/secrets';
import type { PublicServiceSettings } from '@tributary/runtime/variables';
import { createAssetsRoute } from './http/assets-route.ts';
import { createConfigRoute } from './http/config-route.ts';
import { type Assets, loadAssets } from './http/load-assets.ts';
import { createPublicApp, type RouteName } from './http/public-app.ts';
import { createSessionRoute } from './http/session-route.ts';
import { createFindCampaignConfig } from './commands/campaign-config.ts';
import { createKnowledge } from './db/knowledge.ts';
import { createWidgetMetrics, type SessionResult } from './metrics.ts';
import { createOpenSession } from './commands/open-session.ts';
import { readModelPlan } from './log/plan.ts';
import { createCurrentTokenVerifier } from './commands/verify-current-token.ts';

/** `postgres.schema` and `group` are those of the first generation's read model. */
export type WidgetServiceSettings = PublicServiceSettings &
  FoldSettings & {
    /** Opens product secrets. */
    secrets: KeyRing;
    uccKey: Buffer;
    appendDeadlineMs: number;
    /** How many each address may make of the scripts' own questions. */
    requestsPerSecond: number;
    /** How often each user may boot the widget. */
    bootsPerMinute: number;
    /** The built scripts; replaced only by tests. */
    assetsDir?: string;
  };

const service = 'widget';
/**
 * The scripts and nothing else need no server. Until it has read the log once, those that it is to
 * replace answer better.
 */
const losses: Losses = {
  'public-listener': everything,
  'first-read': everything,
  kafka: 'sessions that have something to record get 503',
  catalog: 'what operators change has no effect yet',
  generations: 'sessions get 503',
  'read-model': 'sessions get 503, or may be out of date',
};
const topicsUsed: readonly Topic[] = ['codes', 'people', 'events', 'catalog', 'deadLetters'];

/**
 * Builds and starts the service. It stops in reverse: first the public listener finishes its
 * requests, last the connections close.
 */
export async function startWidget(
  settings: WidgetServiceSettings,
  options: { logger: Logger; onStop: OnStop; clock?: Clock },
): Promise<{ port: number; adminPort: number }> {
  const { logger, onStop, clock = systemClock } = options;
  const life = createLife({ service, logger, onStop });
  const metrics = createWidgetMetrics(life.registry);
  const assets = await loadAssets(settings.assetsDir ?? builtAssets);

  const { kafka, appender, nameOf } = await connectLog(settings, {
    ...life,
    topicsUsed,
    makeAppender: (connection) =>
      createAppender({ kafka: connection, logger, deadlineMs: settings.appendDeadlineMs }),
  });
  const catalogView = createCatalogView({ holds: ['product-secret'] });
  const catalog = followCatalog({ kafka, nameOf }, catalogView, life);
  const readModel = await hostReadModels(settings, {
    ...life,
    plan: readModelPlan,
    kafka,
    appender,
    readyWhenRead: true,
  });
  const codesBarrier = createProjectionBarrier({
    kafka,
    logger,
    pool: () => readModel.pool,
    name: readModelPlan.projection,
    topics: [nameOf('codes')],
  });
  life.add('codes-barrier', codesBarrier);
  const becomeCurrent = () => Promise.all([catalog.becomeCurrent(), codesBarrier.becomeCurrent()]);

  const adminListener = life.add(
    'admin-listener',
    createAdminListener(settings, { ...life, losses }),
  );
  const publicListener = life.add(
    'public-listener',
    createListener(settings, { app: publicApp(assets), logger }),
  );
  // It says what the start is waiting for.
  const adminPort = await adminListener.start();
  // Without the catalog nobody's token could be validated.
  await catalog.start();
  return { port: await publicListener.start(), adminPort };

  function publicApp(loaded: Assets) {
    const knowledge = createKnowledge(readModel, clock);
    const topics = {
      codes: nameOf('codes'),
      people: nameOf('people'),
      events: nameOf('events'),
    };
    const limits = createRequestLimits(
      { widget: settings.requestsPerSecond, boot: settings.bootsPerMinute / 60 },
      life.registry,
    );
    return createPublicApp({
      refuseFlood: limits.refuseFlood,
      assetsRoute: createAssetsRoute(loaded),
      sessionRoute: createSessionRoute({
        bootAgainAfter: ({ tenantId, productUserId }) =>
          limits.waitFor('boot', JSON.stringify([tenantId, productUserId])),
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
      observe: createRequestObserver<RouteName>(life.registry, logger),
      logger,
    });
  }

  function onSession(result: SessionResult, res: ServerResponse): void {
    metrics.session(result);
    const requestId = requestIdOf(res);
    if (result.outcome === 'fault') {
      logger.info('a widget token was refused', { requestId, fault: result.fault });
    }
    if (result.outcome === 'unavailable') {
      logger.warn('a session was refused for now', { requestId, detail: result.detail });
    }
  }
}

const builtAssets = fileURLToPath(new URL('../dist', import.meta.url));

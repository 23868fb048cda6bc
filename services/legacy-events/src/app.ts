import type { Topic } from '@tributary/contracts/topics';
import { connectLog } from '@tributary/event-log/connect-log';
import { followCatalog } from '@tributary/event-log/follow-catalog';
import { createRefusalRecorder } from '@tributary/event-log/refusal-recorder';
import { createAdmission } from '@tributary/http/admission';
import { createAdminListener, everything, type Losses } from '@tributary/http/admin-listener';
import { createCatalogView } from '@tributary/http/catalog-view';
import { createListener } from '@tributary/http/listener';
import { createRequestTimer } from '@tributary/http/request-observer';
import { createLife } from '@tributary/http/service-life';
import { createCurrentVerifier } from '@tributary/http/tokens';
import { systemClock } from '@tributary/runtime/clock';
import { createIdSource } from '@tributary/runtime/ids';
import type { OnStop } from '@tributary/runtime/lifecycle';
import type { Logger } from '@tributary/runtime/logger';
import type { TokenKey } from '@tributary/runtime/token-keys';
import type { PublicServiceSettings } from '@tributary/runtime/variables';
import { createEventsRoute } from './http/events-route.ts';
import { createLegacyApp, messageForm } from './http/legacy-app.ts';
import { createStoreEvent } from './log/store-event.ts';
import { createLegacyMetrics } from './metrics.ts';

export type LegacyEventsSettings = PublicServiceSettings & {
  tokenKeys: readonly TokenKey[];
  backdatingWindowDays: number;
  /** How many are accepted of a tenant that has no limit of its own. */
  eventsPerSecond: number;
};

const service = 'legacy-events';
const losses: Losses = {
  'public-listener': everything,
  kafka: everything,
  catalog: 'what operators change has no effect yet',
};
const topicsUsed: readonly Topic[] = ['events', 'people', 'catalog', 'refusals'];

/**
 * Builds and starts the service. Public traffic is taken only once the catalog has been read:
 * before that every token would be refused as one of an unknown access key.
 */
export async function startLegacyEvents(
  settings: LegacyEventsSettings,
  options: { logger: Logger; onStop: OnStop },
): Promise<{ port: number; adminPort: number }> {
  const { logger } = options;
  const life = createLife({ service, ...options });
  const metrics = createLegacyMetrics(life.registry);
  const { kafka, appender, nameOf } = await connectLog(settings, { ...life, topicsUsed });

  const refusals = createRefusalRecorder({
    ...{ appender, service, topic: nameOf('refusals'), clock: systemClock },
    onLost: (requests) => metrics.refusalsLost(requests),
  });
  await life.start('refusals', refusals);

  const catalogView = createCatalogView();
  const catalog = followCatalog({ kafka, nameOf }, catalogView, life);

  const eventsRoute = createEventsRoute({
    verifyBearer: createCurrentVerifier({
      keys: settings.tokenKeys,
      environment: settings.environment,
      clock: systemClock,
      isActive: (tenantId, accessKeyId) => catalogView.isActive(tenantId, accessKeyId),
      becomeCurrent: () => catalog.becomeCurrent(),
    }),
    admit: createAdmission({
      tenant: catalogView.tenant,
      eventsPerSecond: settings.eventsPerSecond,
      nowMs: () => performance.now(),
    }),
    storeEvent: createStoreEvent({
      appender,
      topics: { events: nameOf('events'), people: nameOf('people') },
    }),
    clock: systemClock,
    ids: createIdSource(),
    logger,
    metrics,
    refusals,
    backdatingWindowDays: settings.backdatingWindowDays,
  });
  const app = createLegacyApp({ eventsRoute, logger, observe: createRequestTimer(life.registry) });

  const adminListener = life.add(
    'admin-listener',
    createAdminListener(settings, { ...life, losses }),
  );
  const publicListener = life.add(
    'public-listener',
    createListener(settings, { app, logger, refusalForm: messageForm }),
  );
  const adminPort = await adminListener.start();
  await catalog.start();
  return { port: await publicListener.start(), adminPort };
}

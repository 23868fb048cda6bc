import type { Topic } from '@tributary/contracts/topics';
import { connectLog } from '@tributary/event-log/connect-log';
import { followCatalog } from '@tributary/event-log/follow-catalog';
import { type Checks, startAdminListener } from '@tributary/http/admin-listener';
import { createCatalogView } from '@tributary/http/catalog-view';
import { createRegistry } from '@tributary/http/metrics';
import { listen } from '@tributary/http/server';
import { createCurrentVerifier } from '@tributary/http/tokens';
import { systemClock } from '@tributary/runtime/clock';
import { createIdSource } from '@tributary/runtime/ids';
import type { OnStop } from '@tributary/runtime/lifecycle';
import type { Logger } from '@tributary/runtime/logger';
import type { KeyRing } from '@tributary/runtime/secrets';
import type { KafkaSettings, TopicWiring } from '@tributary/runtime/variables';
import { createEventsRoute } from './adapters/http/events-route.ts';
import { createLegacyApp, messageForm } from './adapters/http/legacy-app.ts';
import { createStoreEvent } from './adapters/log/store-event.ts';
import { createLegacyMetrics } from './metrics.ts';

export type LegacyEventsSettings = {
  environment: 'prod' | 'sandbox';
  host: string;
  port: number;
  adminPort: number;
  kafka: KafkaSettings;
  topics: TopicWiring;
  tokenKeys: KeyRing;
  backdatingWindowDays: number;
};

const service = 'legacy-events';
const topicsUsed: readonly Topic[] = ['events', 'people', 'catalog'];

/**
 * Builds and starts the service. Public traffic is taken only once the catalog has been read:
 * before that every token would be refused as one of an unknown access key.
 */
export async function startLegacyEvents(
  settings: LegacyEventsSettings,
  { logger, onStop }: { logger: Logger; onStop: OnStop },
): Promise<{ port: number; adminPort: number }> {
  const { host } = settings;
  const registry = createRegistry(service);
  const metrics = createLegacyMetrics(registry);
  const life = { service, logger, onStop };
  const { kafka, appender, nameOf } = await connectLog(settings, { ...life, topicsUsed });

  const catalogView = createCatalogView();
  const catalog = followCatalog({ kafka, nameOf }, catalogView, life);

  let open = false;
  const checks: Checks = {
    kafka: () => appender.health(),
    catalog: () => catalog.health(),
    'public-listener': () => (open ? { ok: true } : { ok: false, detail: 'not open yet' }),
  };
  const adminPort = await startAdminListener(settings, { ...life, registry, checks });
  await catalog.start();

  const eventsRoute = createEventsRoute({
    verifyBearer: createCurrentVerifier({
      keys: settings.tokenKeys,
      environment: settings.environment,
      clock: systemClock,
      isActive: (tenantId, accessKeyId) => catalogView.isActive(tenantId, accessKeyId),
      becomeCurrent: () => catalog.becomeCurrent(),
    }),
    storeEvent: createStoreEvent({
      appender,
      topics: { events: nameOf('events'), people: nameOf('people') },
    }),
    clock: systemClock,
    ids: createIdSource(),
    logger,
    metrics,
    backdatingWindowDays: settings.backdatingWindowDays,
  });
  const app = createLegacyApp({ eventsRoute, logger, metrics });
  const server = await listen({
    app,
    host,
    port: settings.port,
    logger,
    refusalForm: messageForm,
  });
  onStop('public listener', () => server.stop());
  open = true;
  return { port: server.port, adminPort };
}

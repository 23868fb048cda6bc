import { catalogCodec } from '@tributary/contracts/catalog-record';
import { codeCodec } from '@tributary/contracts/code-record';
import { eventCodec } from '@tributary/contracts/event-record';
import type { Topic } from '@tributary/contracts/topics';
import { connectLog } from '@tributary/event-log/connect-log';
import { createRelay } from '@tributary/event-log/outbox';
import { createProjection, source } from '@tributary/event-log/projection';
import { type Checks, startAdminListener } from '@tributary/http/admin-listener';
import { createInternalRouter } from '@tributary/http/internal-router';
import { createRegistry } from '@tributary/http/metrics';
import { createDryRunLogger } from '@tributary/runtime/dry-run';
import type { OnStop } from '@tributary/runtime/lifecycle';
import type { Logger } from '@tributary/runtime/logger';
import { postgresCheck } from '@tributary/runtime/postgres';
import type { KafkaSettings, PostgresSettings, TopicWiring } from '@tributary/runtime/variables';
import { Registry } from 'prom-client';
import { readBacklog } from './adapters/postgres/backlog.ts';
import { catalogSource, codesSource, createApplyBatch, eventsSource } from './apply-batch.ts';
import { createDecideFacts } from './decide-facts.ts';
import type { Fold } from '@tributary/attribution-fold/fold-user';
import { createFigures, registerBacklog } from './figures.ts';
import { prepareDatabase } from './prepare-database.ts';
import { createSweeper } from './sweeper.ts';
import { createTryEvent, tryRoute } from './try-event.ts';

export type AttributionSettings = {
  host: string;
  adminPort: number;
  kafka: KafkaSettings;
  postgres: PostgresSettings;
  topics: TopicWiring;
  group: string;
  /** Accepted from other services, on the admin listener. */
  internalTokens: readonly string[];
  /** Replaced only by tests that want a fold to throw. */
  fold?: Fold;
};

const service = 'attribution';
const topicsUsed: readonly Topic[] = ['events', 'codes', 'catalog', 'attributions', 'deadLetters'];

/**
 * Builds and starts the service. Stops are handed to `onStop` as things start, to be run in
 * reverse: first nothing new is read, last the connections close.
 */
export async function startAttribution(
  settings: AttributionSettings,
  { logger, onStop }: { logger: Logger; onStop: OnStop },
): Promise<{ adminPort: number }> {
  const registry = createRegistry(service);
  const figures = createFigures(registry);

  const pool = await prepareDatabase(settings.postgres, logger);
  onStop('postgres', () => pool.end());
  const { kafka, appender, nameOf } = await connectLog({
    settings: settings.kafka,
    service,
    topics: settings.topics,
    topicsUsed,
    logger,
    onStop,
  });
  const relay = createRelay({ pool, appender, logger });
  await relay.start();
  onStop('relay', () => relay.stop());

  const decideOptions = {
    logger,
    attributionsTopic: nameOf('attributions'),
    figures,
    ...(settings.fold && { fold: settings.fold }),
  };
  const decideFacts = createDecideFacts(decideOptions);
  const sweeper = createSweeper({ pool, logger, decideFacts });
  const projection = createProjection({
    kafka,
    logger,
    pool,
    name: service,
    group: settings.group,
    sources: [
      source(eventsSource, nameOf('events'), eventCodec),
      source(codesSource, nameOf('codes'), codeCodec),
      source(catalogSource, nameOf('catalog'), catalogCodec),
    ],
    apply: createApplyBatch({ decideFacts, logger, figures }),
    deadLetterTopic: nameOf('deadLetters'),
    onCommitted: (batch) => {
      if (batch[0] && batch[0].source !== eventsSource) sweeper.wake();
    },
  });
  await projection.start();
  onStop('projection', () => projection.stop());
  sweeper.start();
  onStop('sweeper', () => sweeper.stop());

  const uncounted = createFigures(new Registry());
  const quiet = createDryRunLogger(logger);
  const tried = createDecideFacts({ ...decideOptions, logger: quiet, figures: uncounted });
  const triedSweeper = createSweeper({ pool, logger: quiet, decideFacts: tried });
  const tryEvent = createTryEvent({
    pool,
    apply: createApplyBatch({ decideFacts: tried, logger: quiet, figures: uncounted }),
    refoldOwnPage: (tx) => triedSweeper.refoldPage(tx, 'own'),
    attributionsTopic: nameOf('attributions'),
  });

  registerBacklog(registry, {
    readBacklog: () => readBacklog(pool),
    outboxPending: () => relay.pending(),
  });
  const checks: Checks = {
    kafka: () => appender.health(),
    projection: () => projection.health(),
    outbox: () => relay.health(),
    postgres: postgresCheck(pool),
  };
  const adminPort = await startAdminListener({
    service,
    registry,
    checks,
    internal: {
      tokens: settings.internalTokens,
      router: createInternalRouter([tryRoute(tryEvent)], { logger }),
    },
    host: settings.host,
    port: settings.adminPort,
    logger,
    onStop,
  });
  return { adminPort };
}

import type { Fold } from '@tributary/attribution-fold/fold-user';
import { decisionCodec, type DecisionRecord } from '@tributary/contracts/decision-record';
import type { Incoming } from '@tributary/event-log/projection';
import type {
  FoldContext,
  FoldParts,
  FoldPlan,
  ServedFoldSettings,
} from '@tributary/generations/serve-fold';
import { createDryRunLogger } from '@tributary/runtime/dry-run';
import type pg from 'pg';
import { Registry } from 'prom-client';
import { readBacklog } from './db/backlog.ts';
import { countKnownDecisions, hasSentDecisions } from './db/known-decisions.ts';
import { createApplyBatch, eventsSource } from './log/apply-batch.ts';
import { createDecideFacts } from './fold/decide-facts.ts';
import { createDecisionsInFull } from './fold/decisions-in-full.ts';
import { createAttributionMetrics, registerBacklog } from './metrics.ts';
import { prepareDatabase } from './db/prepare-database.ts';
import { readFoldVersion } from './fold/read-fold-version.ts';
import { createLiveState } from './http/live-state.ts';
import { stateRoutes } from './http/state-routes.ts';
import { createSweeper } from './workers/sweeper.ts';
import { createTryEvent, tryRoute } from './http/try-event.ts';

export type AttributionSettings = ServedFoldSettings & { fold?: Fold };

/** What each generation runs. */
export const plan: FoldPlan<AttributionSettings, DecisionRecord> = {
  service: 'attribution',
  reads: ['events', 'codes', 'catalog'],
  readsFirst: ['catalog', 'codes'],
  traces: 'events',
  writes: 'attributions',
  codec: decisionCodec,
  countKnown: countKnownDecisions,
  hasSent: hasSentDecisions,
  grants: 'issuances',
  prepare: ({ postgres }, logger) => prepareDatabase(postgres, logger),
  build,
};

async function build(context: FoldContext<AttributionSettings>): Promise<FoldParts> {
  const { settings, generations, pool, life, isLive, kafka, nameOf } = context;
  const { logger, registry: metrics } = life;
  const { generation } = settings.topics;
  const attributionsTopic = nameOf('attributions');
  const foldVersion = await readFoldVersion(generations, generation);
  const counted = createAttributionMetrics(metrics, isLive);
  registerBacklog(metrics, () => readBacklog(pool));
  const decideOptions = {
    logger,
    foldVersion,
    attributionsTopic,
    metrics: counted,
    ...(settings.fold && { fold: settings.fold }),
  };
  const decideFacts = createDecideFacts(decideOptions);
  const sweeper = createSweeper({ pool, logger, decideFacts });
  const liveState = createLiveState({
    generation,
    foldVersion,
    pool,
    postgres: settings.postgres,
    kafka,
    name: plan.service,
    attributionsTopic,
    decisionsInFull: createDecisionsInFull(decideOptions),
  });
  return {
    apply: createApplyBatch({ decideFacts, logger, metrics: counted }),
    onCommitted(batch: readonly Incoming[]) {
      if (batch[0] && batch[0].source !== eventsSource) sweeper.wake();
    },
    workers: { sweeper },
    routes: [tryRoute(createTry(pool, decideOptions)), ...stateRoutes(liveState)],
  };
}

/** The same fold, of an event that is only tried: it is counted nowhere, and nothing is logged. */
function createTry(pool: pg.Pool, decideOptions: Parameters<typeof createDecideFacts>[0]) {
  const counted = createAttributionMetrics(new Registry(), () => false);
  const logger = createDryRunLogger(decideOptions.logger);
  const decideFacts = createDecideFacts({ ...decideOptions, logger, metrics: counted });
  const sweeper = createSweeper({ pool, logger, decideFacts });
  return createTryEvent({
    pool,
    apply: createApplyBatch({ decideFacts, logger, metrics: counted }),
    recomputeOwnPage: (tx) => sweeper.recomputePage(tx, 'own'),
    decisionsInFull: createDecisionsInFull(decideOptions),
    attributionsTopic: decideOptions.attributionsTopic,
  });
}

import type { DecisionRecord } from '@tributary/contracts/decision-record';
import type { Incoming } from '@tributary/event-log/projection';
import { createLogger } from '@tributary/runtime/logger';
import { createApplyBatch } from '../log/apply-batch.ts';
import { createDecideFacts } from '../fold/decide-facts.ts';
import { createDecisionsInFull } from '../fold/decisions-in-full.ts';
import type { DecisionContent } from '@tributary/attribution-fold/decision';
import type { FoldVersion } from '@tributary/attribution-fold/fold-version';
import { type Limits, usualLimits } from '../fold/batch-limits.ts';
import { createSweeper } from '../workers/sweeper.ts';
import type { Arrival } from '@tributary/attribution-fold/testing/arbitraries';
import { byEvent, withoutVersion } from '@tributary/attribution-fold/decide-from-scratch';
import { currentDecisions } from './current-decisions.ts';
import { createInMemoryPostgres } from './in-memory-postgres.ts';

const logger = createLogger({ service: 'test', level: 'silent' });
const counted = {
  decided: () => undefined,
  foldFailed: () => undefined,
  timeBatch: () => () => undefined,
};

/** One attribution process without servers: its own transactions and sweeper, over maps. */
export function createModel(limits: Limits = usualLimits, foldVersion?: FoldVersion) {
  const postgres = createInMemoryPostgres();
  const decideFacts = createDecideFacts({
    logger,
    attributionsTopic: 'attributions',
    metrics: counted,
    limits,
    ...(foldVersion && { foldVersion }),
  });
  const decisionsInFull = createDecisionsInFull({ logger, ...(foldVersion && { foldVersion }) });
  const applyBatch = createApplyBatch({ decideFacts, logger, metrics: counted, limits });
  const sweeper = createSweeper({ pool: postgres.pool, logger, decideFacts, limits });

  return {
    /** Applies records of one topic, as a batch does. */
    async apply(topic: Arrival['topic'], records: readonly Arrival['record'][]): Promise<void> {
      const batch = records.map((value, i): Incoming => ({
        ...{ source: topic, topic, partition: 0, offset: BigInt(i), key: '', timestampMs: 0 },
        value,
      }));
      await applyBatch(postgres.tx, batch);
    },

    async sweep(): Promise<void> {
      await sweeper.sweep();
      if (postgres.recomputeJobs() > 0) throw new Error('the sweeper left work');
    },

    current: (): DecisionContent[] =>
      currentDecisions(postgres.outbox(), postgres.decisions()).map(withoutVersion).sort(byEvent),
    /** The same as told by folding once more. */
    async inFull(): Promise<DecisionContent[]> {
      const { decisions, others } = await decisionsInFull(postgres.tx, [
        ...postgres.decisions().keys(),
      ]);
      if (others.length > 0) throw new Error(`${others[0]!.folded.eventId} folds to another`);
      return decisions.map(withoutVersion).sort(byEvent);
    },
    published: (): DecisionRecord[] => postgres.outbox(),
  };
}

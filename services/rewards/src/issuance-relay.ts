import { connectLog } from '@tributary/event-log/connect-log';
import { createRelay, type Relay } from '@tributary/event-log/outbox';
import { createMetrics, measured, type MetricsRegistry } from '@tributary/http/metrics';
import type { OnStop } from '@tributary/runtime/lifecycle';
import type { Logger } from '@tributary/runtime/logger';
import { createPool } from '@tributary/runtime/postgres';
import { type GenerationSettings, service } from './generation.ts';
import { migrateIssuances } from './prepare-database.ts';

/**
 * Puts what was issued, and what operators said, on the log. Outside generations like the facts
 * themselves: they reach the log also when the generation that wrote them is stopped or dropped.
 */
export async function startIssuanceRelay(
  settings: Omit<GenerationSettings, 'topics'> & {
    topics: Omit<GenerationSettings['topics'], 'generation'>;
  },
  options: { metrics: MetricsRegistry; logger: Logger; onStop: OnStop },
): Promise<Relay> {
  const { metrics, logger, onStop } = options;
  await migrateIssuances(settings, logger);
  const pool = createPool(
    { ...settings.postgres, schema: settings.issuanceSchema, poolSize: 3 },
    { applicationName: 'rewards issuances', logger },
  );
  onStop('issuances', () => pool.end());
  const { appender } = await connectLog(
    // The topic of issuances is one for all generations.
    { ...settings, topics: { ...settings.topics, generation: 1 } },
    { service, topicsUsed: ['issuances'], logger, onStop },
  );
  const relay = createRelay({ pool, appender, logger, table: 'issuance_outbox' });
  if (settings.releases) {
    await relay.start();
    onStop('issuances relay', () => relay.stop());
  }
  createMetrics(metrics, {
    rewards_issuance_outbox_pending: measured('Issuances not on the log yet.', () =>
      relay.pending(),
    ),
  });
  return relay;
}

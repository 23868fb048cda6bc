import { connectLog } from '@tributary/event-log/connect-log';
import { createRelay, type Relay } from '@tributary/event-log/outbox';
import { gaugesOf } from '@tributary/http/metrics';
import type { OnStop } from '@tributary/runtime/lifecycle';
import type { Logger } from '@tributary/runtime/logger';
import { createPool } from '@tributary/runtime/postgres';
import type { Registry } from 'prom-client';
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
  options: { metrics: Registry; logger: Logger; onStop: OnStop },
): Promise<Relay> {
  const { metrics, logger, onStop } = options;
  await migrateIssuances(settings, logger);
  const pool = createPool(
    { ...settings.postgres, schema: settings.issuanceSchema, poolSize: 3 },
    { applicationName: 'rewards issuances', logger },
  );
  onStop('issuances', () => pool.end());
  const { appender } = await connectLog({
    settings: settings.kafka,
    service,
    // Belongs to no generation: all share one topic of issuances.
    topics: { ...settings.topics, generation: 1 },
    topicsUsed: ['issuances'],
    logger,
    onStop,
  });
  const relay = createRelay({ pool, appender, logger, table: 'issuance_outbox' });
  if (settings.releases) {
    await relay.start();
    onStop('issuances relay', () => relay.stop());
  }
  gaugesOf(metrics)('rewards_issuance_outbox_pending', 'Issuances not on the log yet.', () =>
    relay.pending(),
  );
  return relay;
}

import { connectLog } from '@tributary/event-log/connect-log';
import { createRelay, type Relay } from '@tributary/event-log/relay';
import type { ServiceLife } from '@tributary/http/service-life';
import type { Component } from '@tributary/runtime/component';
import { createPool, poolGauges } from '@tributary/runtime/postgres';
import type { RewardsSettings } from './generation.ts';
import { migrateIssuances } from './db/prepare-database.ts';

/**
 * Puts what was issued, and what operators said, on the log. Outside generations like the facts
 * themselves: they reach the log also when the generation that wrote them is stopped or dropped.
 */
export async function startIssuanceRelay(
  settings: RewardsSettings,
  life: ServiceLife,
): Promise<Pick<Relay, 'follow'>> {
  const { service, logger } = life;
  await migrateIssuances(settings, logger);
  const pool = createPool(
    { ...settings.postgres, schema: settings.issuanceSchema, poolSize: 3 },
    { applicationName: 'rewards issuances', logger },
  );
  life.add('issuances', { stop: () => pool.end(), gauges: poolGauges('issuances', () => pool) });
  const { appender } = await connectLog(
    // The topic of issuances is one for all generations.
    { ...settings, topics: { ...settings.topics, generation: 1 } },
    // Whether the brokers answer is a check of each generation.
    { service, topicsUsed: ['issuances'], logger, start: startUnchecked },
  );
  /** Stopped and measured with the process. */
  function startUnchecked(name: string, { health: _, ...part }: Component): Promise<void> {
    return life.start(name, part);
  }

  const relay = createRelay({ pool, appender, logger, table: 'issuance_outbox' });
  const { health, gauges } = relay;
  await life.start('issuance-outbox', settings.releases ? relay : { health, gauges });
  return relay;
}

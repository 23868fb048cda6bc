import { serveFold } from '@tributary/generations/serve-fold';
import { createLife } from '@tributary/http/service-life';
import type { OnStop } from '@tributary/runtime/lifecycle';
import type { Logger } from '@tributary/runtime/logger';
import type pg from 'pg';
import { plan, type RewardsSettings } from './generation.ts';
import { startIssuanceRelay } from './start-issuance-relay.ts';

/**
 * Builds and starts the service: the relay of what was issued by whichever generation, and the
 * generations. It stops in reverse.
 */
export async function startRewards(
  settings: RewardsSettings,
  options: { logger: Logger; onStop: OnStop },
): Promise<{ adminPort: number }> {
  const life = createLife({ service: plan.service, ...options });
  const issuances = await startIssuanceRelay(settings, life);
  return serveFold({ ...plan, prepare }, settings, life);

  /** What a generation grants leaves by the relay that all of them share. */
  async function prepare(...given: Parameters<typeof plan.prepare>): Promise<pg.Pool> {
    const pool = await plan.prepare(...given);
    issuances.follow(pool);
    return pool;
  }
}

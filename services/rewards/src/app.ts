import { serveFold } from '@tributary/generations/serve-fold';
import { createLife } from '@tributary/http/service-life';
import type { OnStop } from '@tributary/runtime/lifecycle';
import type { Logger } from '@tributary/runtime/logger';
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
  await startIssuanceRelay(settings, life);
  return serveFold(plan, settings, life);
}

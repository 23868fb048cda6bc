import { serveFold } from '@tributary/generations/serve-fold';
import { createLife } from '@tributary/http/service-life';
import type { OnStop } from '@tributary/runtime/lifecycle';
import type { Logger } from '@tributary/runtime/logger';
import { type AttributionSettings, plan } from './generation.ts';

/** Builds and starts the service; it stops in reverse. */
export function startAttribution(
  settings: AttributionSettings,
  options: { logger: Logger; onStop: OnStop },
): Promise<{ adminPort: number }> {
  return serveFold(plan, settings, createLife({ service: plan.service, ...options }));
}

import { type Composition, compose } from '@tributary/runtime/component';
import type { OnStop } from '@tributary/runtime/lifecycle';
import type { Logger } from '@tributary/runtime/logger';
import { createMeasure, createRegistry, type MetricsRegistry } from './metrics.ts';

/** What every part of a service is started with, and becomes a part of. */
export type ServiceLife = Composition & {
  service: string;
  logger: Logger;
  onStop: OnStop;
  registry: MetricsRegistry;
};

export function createLife(options: {
  service: string;
  logger: Logger;
  onStop: OnStop;
  /** That of a generation; default: the one of the process. */
  registry?: MetricsRegistry;
}): ServiceLife {
  const { service, logger, onStop, registry = createRegistry(service) } = options;
  const composition = compose({ onStop, measure: createMeasure(registry) });
  return { service, logger, onStop, registry, ...composition };
}

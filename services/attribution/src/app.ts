import { hostGenerations } from '@tributary/generations/host-generations';
import { openGenerations, prepareGenerations } from '@tributary/generations/open-generations';
import { startAdminListener } from '@tributary/http/admin-listener';
import { createGenerationRouter } from '@tributary/http/generation-router';
import { createRegistry, mergedMetrics } from '@tributary/http/metrics';
import type { OnStop } from '@tributary/runtime/lifecycle';
import type { Logger } from '@tributary/runtime/logger';
import { type GenerationSettings, service, startGeneration, topicsRead } from './generation.ts';

export type AttributionSettings = Omit<GenerationSettings, 'topics'> & {
  host: string;
  adminPort: number;
  /** `postgres.schema` and `group` are those of the first generation; the others' follow. */
  topics: Omit<GenerationSettings['topics'], 'generation'>;
  generationsSchema: string;
  /** Run this generation only; absent: all that are registered. */
  onlyGeneration?: number;
  /** Accepted from other services, on the admin listener. */
  internalTokens: readonly string[];
};

/**
 * Builds and starts the service: the generations of the fold that are registered, and one admin
 * listener for all of them. Stops are handed to `onStop` as things start, to be run in reverse.
 */
export async function startAttribution(
  settings: AttributionSettings,
  { logger, onStop }: { logger: Logger; onStop: OnStop },
): Promise<{ adminPort: number }> {
  const { postgres, group } = settings;
  const own = createRegistry(service);
  const registrySettings = { ...postgres, schema: settings.generationsSchema };
  const registry = await openGenerations(registrySettings, { logger, onStop, service });
  const hosted = await hostGenerations({
    pool: registry,
    remake: () => prepareGenerations(registrySettings, logger),
    stage: {
      name: service,
      schema: postgres.schema,
      group,
      projection: service,
      topics: topicsRead,
    },
    only: settings.onlyGeneration,
    logger,
    onStop,
    start: (stage, life) =>
      startGeneration(
        {
          ...settings,
          topics: { ...settings.topics, generation: stage.generation },
          postgres: { ...postgres, schema: stage.schema },
          group: stage.group,
        },
        { ...life, registry },
      ),
  });
  const adminPort = await startAdminListener(settings, {
    service,
    registry: mergedMetrics(() => [
      own,
      ...[...hosted.running().values()].map(({ metrics }) => metrics),
    ]),
    checks: () => hosted.checks(),
    internal: {
      tokens: settings.internalTokens,
      router: createGenerationRouter(hosted),
    },
    logger,
    onStop,
  });
  return { adminPort };
}

import { hostGenerations } from '@tributary/generations/host-generations';
import { openGenerations, prepareGenerations } from '@tributary/generations/open-generations';
import { startAdminListener } from '@tributary/http/admin-listener';
import { createGenerationRouter } from '@tributary/http/generation-router';
import { createRegistry, mergedMetrics } from '@tributary/http/metrics';
import type { OnStop } from '@tributary/runtime/lifecycle';
import type { Logger } from '@tributary/runtime/logger';
import { type GenerationSettings, service, startGeneration, topicsRead } from './generation.ts';
import { startIssuanceRelay } from './issuance-relay.ts';

export type RewardsSettings = Omit<GenerationSettings, 'topics'> & {
  host: string;
  adminPort: number;
  /** `postgres.schema` and `group` are those of the first generation; the others' follow. */
  topics: Omit<GenerationSettings['topics'], 'generation'>;
  /** Run this generation only; absent: all that are registered. */
  onlyGeneration?: number;
  /** Accepted from other services, on the admin listener. */
  internalTokens: readonly string[];
};

/**
 * Builds and starts the service: the generations of the fold that are registered, the relay of what
 * was issued by whichever of them, and one admin listener for all. Stops are handed to `onStop` as
 * things start, to be run in reverse.
 */
export async function startRewards(
  settings: RewardsSettings,
  { logger, onStop }: { logger: Logger; onStop: OnStop },
): Promise<{ adminPort: number }> {
  const { postgres, group } = settings;
  const own = createRegistry(service);
  const registrySettings = { ...postgres, schema: settings.generationsSchema };
  const registry = await openGenerations(registrySettings, { logger, onStop, service });
  const issuances = await startIssuanceRelay(settings, { metrics: own, logger, onStop });
  const hosted = await hostGenerations({
    pool: registry,
    remake: () => prepareGenerations(registrySettings, logger),
    stage: {
      name: service,
      schema: postgres.schema,
      group,
      projection: service,
      topics: topicsRead,
      sharedSchema: settings.issuanceSchema,
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
    checks: () => ({ ...hosted.checks(), 'issuance-outbox': () => issuances.health() }),
    internal: {
      tokens: settings.internalTokens,
      router: createGenerationRouter(hosted),
    },
    logger,
    onStop,
  });
  return { adminPort };
}

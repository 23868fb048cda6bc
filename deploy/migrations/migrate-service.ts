import { migrateDatabase } from '../../packages/event-log/src/connect-database.ts';
import { migrateGenerations } from '../../packages/generations/src/migrate-generations.ts';
import {
  migrateReadModel,
  type ReadModelPlan,
} from '../../packages/generations/src/start-read-model.ts';
import { loadConfig } from '../../packages/runtime/src/config.ts';
import type { Logger } from '../../packages/runtime/src/logger.ts';
import type { ServiceName } from '../local/service-table.ts';

/** Services with tables; legacy-events has none. */
export type MigratedService = Exclude<ServiceName, 'legacy-events'>;

type Migration = (env: NodeJS.ProcessEnv, logger: Logger) => Promise<void>;

/**
 * Makes the tables of a service those of this release, with the service's own variables and rights,
 * and does nothing else. A service does the same at its start, and then finds nothing to do.
 *
 * Each imports its own service only, like the process of the service.
 */
export const migrateService: Readonly<Record<MigratedService, Migration>> = {
  'ingest-api': async (env, logger) => {
    const { IngestApiConfig, ingestSettings } =
      await import('../../services/ingest-api/src/config.ts');
    const { migrationsDir } = await import('../../services/ingest-api/src/app.ts');
    const { postgres } = ingestSettings(loadConfig(IngestApiConfig, env, 'migrate'));
    await migrateDatabase(postgres, { migrationsDir, logger });
  },
  'processor-events': async (env, logger) => {
    const { ProcessorEventsConfig, processorEventsSettings } =
      await import('../../services/processor-events/src/config.ts');
    const { migrationsDir } = await import('../../services/processor-events/src/app.ts');
    const { postgres } = processorEventsSettings(loadConfig(ProcessorEventsConfig, env, 'migrate'));
    await migrateDatabase(postgres, { migrationsDir, logger });
  },
  'webhook-dispatcher': async (env, logger) => {
    const { WebhookDispatcherConfig, dispatcherSettings } =
      await import('../../services/webhook-dispatcher/src/config.ts');
    const { migrationsDir } = await import('../../services/webhook-dispatcher/src/app.ts');
    const { postgres } = dispatcherSettings(loadConfig(WebhookDispatcherConfig, env, 'migrate'));
    await migrateDatabase(postgres, { migrationsDir, logger });
  },
  replay: async (env, logger) => {
    const { ReplayConfig, replaySettings } = await import('../../services/replay/src/config.ts');
    const { makeTables } = await import('../../services/replay/src/app.ts');
    await makeTables(replaySettings(loadConfig(ReplayConfig, env, 'migrate')), logger);
  },
  attribution: async (env, logger) => {
    const { AttributionConfig, attributionSettings } =
      await import('../../services/attribution/src/config.ts');
    const { prepareDatabase } =
      await import('../../services/attribution/src/db/prepare-database.ts');
    const settings = attributionSettings(loadConfig(AttributionConfig, env, 'migrate'));
    const migrate = async (postgres: typeof settings.postgres) =>
      (await prepareDatabase(postgres, logger)).end();
    await migrateGenerations(settings, { logger, migrate });
  },
  rewards: async (env, logger) => {
    const { RewardsConfig, rewardsSettings } = await import('../../services/rewards/src/config.ts');
    const { prepareDatabase } = await import('../../services/rewards/src/db/prepare-database.ts');
    const settings = rewardsSettings(loadConfig(RewardsConfig, env, 'migrate'));
    const migrate = async (postgres: typeof settings.postgres) =>
      (await prepareDatabase({ ...settings, postgres, logger })).end();
    await migrateGenerations(settings, { logger, migrate });
  },
  widget: async (env, logger) => {
    const { WidgetConfig, widgetSettings } = await import('../../services/widget/src/config.ts');
    const { readModelPlan } = await import('../../services/widget/src/log/plan.ts');
    const settings = widgetSettings(loadConfig(WidgetConfig, env, 'migrate'));
    await migrateReadModels(readModelPlan, settings, logger);
  },
  portal: async (env, logger) => {
    const { PortalConfig, portalSettings } = await import('../../services/portal/src/config.ts');
    const { migrationsDir } = await import('../../services/portal/src/app.ts');
    const { readModelPlan } = await import('../../services/portal/src/console/log/plan.ts');
    const settings = portalSettings(loadConfig(PortalConfig, env, 'migrate'));
    await migrateDatabase(settings.postgres, { migrationsDir, logger });
    const readModel = { postgres: settings.readModel, registryPostgres: settings.postgres };
    await migrateReadModels(readModelPlan, { ...settings, ...readModel }, logger);
  },
};

/** As the services host them: `postgres` is the database of the read model. */
function migrateReadModels(
  plan: ReadModelPlan,
  settings: Parameters<typeof migrateGenerations>[0],
  logger: Logger,
): Promise<void> {
  const migrate = (postgres: typeof settings.postgres) => migrateReadModel(plan, postgres, logger);
  return migrateGenerations(settings, { logger, migrate });
}

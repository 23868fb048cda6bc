import type { Topic } from '@tributary/contracts/topics';
import type { OnStop } from '@tributary/runtime/lifecycle';
import type { Logger } from '@tributary/runtime/logger';
import { createPool } from '@tributary/runtime/postgres';
import type { PostgresSettings, TopicWiring } from '@tributary/runtime/variables';
import type pg from 'pg';
import type { Generation } from './generation.ts';
import { type GenerationRun, type HostedGenerations, hostGenerations } from './host-generations.ts';
import type { RunLife } from './hosted-run.ts';
import { openGenerations, prepareGenerations } from './open-generations.ts';
import { identifyDatabase } from './stage-databases.ts';

/** What a process that hosts a fold is set up with; the names are those of the first generation. */
export type FoldSettings = {
  postgres: PostgresSettings;
  topics: Omit<TopicWiring, 'generation'>;
  /** Consumer group. */
  group: string;
  generationsSchema: string;
  /** Where the registry of generations is; default: in the same database. */
  registryPostgres?: Pick<PostgresSettings, 'url' | 'tls'>;
  /** Run this generation only; absent: all that are registered. */
  onlyGeneration?: number | undefined;
};

/** The same of one generation. */
export type GenerationSettings = { postgres: PostgresSettings; topics: TopicWiring; group: string };

/** What a generation is started with, besides its settings. */
export type HostLife = RunLife & {
  /** Reaches the registry of generations. */
  registry: pg.Pool;
};

/**
 * What projects topics into tables, once per generation: registered as a stage (decision 30), and
 * run by this process while the registry lists the generation.
 */
export async function hostFold<R extends GenerationRun>(
  settings: FoldSettings,
  options: {
    service: string;
    /** Under which its positions are kept. */
    projection: string;
    /** What it reads. */
    topics: readonly Topic[];
    /** What it keeps for all generations together. */
    sharedSchema?: string;
    /** Which generations are run at all; default: those that are not lost. */
    runs?: (generation: Generation) => boolean;
    logger: Logger;
    onStop: OnStop;
    start: (settings: GenerationSettings, life: HostLife) => Promise<R | undefined>;
  },
): Promise<HostedGenerations<R>> {
  const { postgres, group } = settings;
  const { service, projection, topics, sharedSchema, runs, logger, onStop, start } = options;
  const registryPostgres = settings.registryPostgres ?? postgres;
  const registryAt = { ...registryPostgres, schema: settings.generationsSchema };
  const registry = await openGenerations(registryAt, { logger, onStop, service });
  return hostGenerations({
    pool: registry,
    remake: () => prepareGenerations(registryAt, logger),
    stage: {
      name: service,
      schema: postgres.schema,
      group,
      projection,
      topics,
      ...(sharedSchema !== undefined && { sharedSchema }),
    },
    findDatabase: () => otherDatabase(registry, postgres, { logger, service }),
    // Whatever else the service does needs the other database only.
    startsWithout: postgres.url !== registryPostgres.url,
    only: settings.onlyGeneration,
    ...(runs && { runs }),
    logger,
    onStop,
    start: (stage, life) =>
      start(
        {
          postgres: { ...postgres, schema: stage.schema },
          topics: { ...settings.topics, generation: stage.generation },
          group: stage.group,
        },
        { ...life, registry },
      ),
  });
}

/** What the database of the stage is called, unless it is that of the registry. */
async function otherDatabase(
  registry: pg.Pool,
  postgres: PostgresSettings,
  { logger, service }: { logger: Logger; service: string },
): Promise<string | undefined> {
  const pool = createPool({ ...postgres, poolSize: 1 }, { applicationName: service, logger });
  try {
    const database = await identifyDatabase(pool);
    return database === (await identifyDatabase(registry)) ? undefined : database;
  } finally {
    await pool.end();
  }
}

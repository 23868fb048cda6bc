import { AttributionConfig } from '../../services/attribution/src/config.ts';
import { IngestApiConfig } from '../../services/ingest-api/src/config.ts';
import { PortalConfig } from '../../services/portal/src/config.ts';
import { ProcessorEventsConfig } from '../../services/processor-events/src/config.ts';
import { ReplayConfig } from '../../services/replay/src/config.ts';
import { RewardsConfig } from '../../services/rewards/src/config.ts';
import { WebhookDispatcherConfig } from '../../services/webhook-dispatcher/src/config.ts';
import { WidgetConfig } from '../../services/widget/src/config.ts';
import type { principals } from '../local/service-passwords.ts';

// Who may do what in Postgres and in Redis: one row per principal. What is not said here is not
// allowed; Kafka's rights stand beside its topics.

export type PostgresPrincipal = Exclude<(typeof principals.postgres)[number], 'admin'>;
export type RedisPrincipal = Exclude<(typeof principals.redis)[number], 'admin'>;

export type PostgresRow = {
  /** Its schemas, by the names of the first generation. It owns them and all that is in them. */
  owns: readonly string[];
  /** It makes further schemas, `<name>_g2` and so on, as generations come. */
  hostsGenerations?: boolean;
  /** What it does with the registry of generations, which replay owns. */
  registry?: readonly RegistryGrant[];
  /** It may do with their schemas what they may. */
  actsFor?: readonly PostgresPrincipal[];
};

/** `on` is a table, with `columns` where not all of them are meant. */
export type RegistryGrant = { privilege: string; on: string; columns?: readonly string[] };

/** Reads all of it, and registers its own stage. */
const hosts: readonly RegistryGrant[] = [
  ...['generation', 'live_generation', 'generation_event', 'stage', 'migration_generations'].map(
    (on) => ({ privilege: 'select', on }),
  ),
  // Whoever looks for pending migrations sees the table's constraints by it.
  { privilege: 'references', on: 'migration_generations' },
  { privilege: 'insert', on: 'stage' },
  { privilege: 'update', on: 'stage' },
];

/** May also say that a generation is lost. */
const folds: readonly RegistryGrant[] = [
  ...hosts,
  { privilege: 'update', on: 'generation', columns: ['status', 'note'] },
  { privilege: 'insert', on: 'generation_event' },
];

export const generationsSchema = schemaOf(ReplayConfig, 'TRIBUTARY_GENERATIONS_SCHEMA');

export const postgresTable: Record<PostgresPrincipal, PostgresRow> = {
  'ingest-api': { owns: [schemaOf(IngestApiConfig)] },
  'processor-events': { owns: [schemaOf(ProcessorEventsConfig)] },
  attribution: { owns: [schemaOf(AttributionConfig)], hostsGenerations: true, registry: folds },
  rewards: {
    owns: [schemaOf(RewardsConfig), schemaOf(RewardsConfig, 'TRIBUTARY_ISSUANCE_SCHEMA')],
    hostsGenerations: true,
    // Who releases locks the table, which Postgres allows to those only who may change it.
    registry: [...folds, { privilege: 'update', on: 'live_generation' }],
  },
  'webhook-dispatcher': { owns: [schemaOf(WebhookDispatcherConfig)] },
  // It compares the stages of generations, holds them up for a swap, and drops what is not needed.
  replay: {
    owns: [schemaOf(ReplayConfig), generationsSchema],
    actsFor: ['attribution', 'rewards', 'widget', 'portal-read-model'],
  },
  widget: { owns: [schemaOf(WidgetConfig)], hostsGenerations: true, registry: hosts },
  // The read model has a principal of its own, so that nobody acts for the portal.
  portal: { owns: [schemaOf(PortalConfig)], registry: hosts },
  'portal-read-model': {
    owns: [schemaOf(PortalConfig, 'TRIBUTARY_READ_MODEL_SCHEMA')],
    hostsGenerations: true,
  },
};

/** Itself, or for whom it acts. */
export function createsSchemas(principal: PostgresPrincipal): boolean {
  const { hostsGenerations = false, actsFor = [] } = postgresTable[principal];
  return hostsGenerations || actsFor.some(createsSchemas);
}

const redisPrefix = String(IngestApiConfig.properties.TRIBUTARY_REDIS_KEY_PREFIX.default);

export type RedisRow = { keys: readonly string[]; commands: readonly string[] };

/** Commands outside of scripts and inside of them: a script may do what its caller may. */
export const redisTable: Record<RedisPrincipal, RedisRow> = {
  'ingest-api': {
    // The latter are those of the earlier release, which this one looks after.
    keys: [`${redisPrefix}i:*`, `${redisPrefix}idempotency*`],
    commands: [
      ...['ping', 'info', 'eval', 'get', 'set', 'del'],
      ...['getrange', 'setrange', 'pexpire', 'type', 'rpush'],
      'cluster|slots',
    ],
  },
};

/** As a server knows it: `portal-read-model` is `tributary_portal_read_model`. */
export function roleName(prefix: string, principal: string): string {
  return `${prefix}_${principal.replaceAll('-', '_')}`;
}

export const defaultRolePrefix = 'tributary';

function schemaOf(
  { properties }: { properties: Record<string, { default?: unknown }> },
  variable = 'TRIBUTARY_POSTGRES_SCHEMA',
): string {
  const name = properties[variable]?.default;
  if (typeof name !== 'string') throw new Error(`${variable} has no default`);
  return name;
}

import { isAbsolute } from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import { generationsVariables } from '@tributary/generations/variables';
import { parseTokenList } from '@tributary/http/fixed-tokens';
import {
  internalTokenVariable,
  kafkaSettings,
  kafkaVariables,
  postgresSettings,
  postgresVariables,
  processVariables,
  topicWiring,
} from '@tributary/runtime/variables';
import { internalUrl } from '@tributary/runtime/variable-rules';
import type { ReplaySettings } from './settings.ts';

/** The variables of this service; the keys are their names. */
export const ReplayConfig = Type.Object({
  ...processVariables,
  ...kafkaVariables,
  ...postgresVariables,
  TRIBUTARY_POSTGRES_SCHEMA: { ...postgresVariables.TRIBUTARY_POSTGRES_SCHEMA, default: 'replay' },
  ...generationsVariables,
  ...internalTokenVariable,
  /** Where other services answer this one; several while two releases run a generation each. */
  TRIBUTARY_ATTRIBUTION_ADMIN_URL: internalUrl({ several: true }),
  TRIBUTARY_REWARDS_ADMIN_URL: internalUrl({ several: true }),
  /**
   * What jobs keep while they run: the log as read so far, and folded state. On a disk that
   * outlives the process, a job that was killed goes on where it was.
   */
  TRIBUTARY_REPLAY_DIR: Type.String({
    default: '/tmp/tributary-replay',
    expected: 'an absolute path',
    verify: (path: string) => (isAbsolute(path) ? undefined : 'must be an absolute path'),
  }),
  /** Processes that fold at the same time. */
  TRIBUTARY_REPLAY_WORKERS: Type.Integer({ default: 2, minimum: 1, maximum: 64 }),
  /** Facts that the live attribution may be behind before a replay waits for it. */
  TRIBUTARY_REPLAY_YIELD_LAG: Type.Integer({ default: 500, minimum: 1, maximum: 1_000_000 }),
  /** Consumer group of attribution, by which its lag is seen; later generations add `-g<n>`. */
  TRIBUTARY_ATTRIBUTION_GROUP: Type.String({ default: 'attribution', minLength: 1 }),
  /** How the first generation of the others is wired, as they are told themselves. */
  TRIBUTARY_REWARDS_GROUP: Type.String({ default: 'rewards', minLength: 1 }),
  TRIBUTARY_PORTAL_GROUP: Type.String({ default: 'portal', minLength: 1 }),
  TRIBUTARY_ATTRIBUTION_SCHEMA: schemaName('attribution_g1'),
  TRIBUTARY_REWARDS_SCHEMA: schemaName('rewards_g1'),
  TRIBUTARY_READ_MODEL_SCHEMA: schemaName('portal_read'),
  TRIBUTARY_ISSUANCE_SCHEMA: schemaName('issuance'),
});
export type ReplayConfig = Static<typeof ReplayConfig>;

export function replaySettings(config: ReplayConfig): ReplaySettings {
  return {
    host: config.TRIBUTARY_HOST,
    adminPort: config.TRIBUTARY_ADMIN_PORT,
    logLevel: config.TRIBUTARY_LOG_LEVEL,
    internalTokens: parseTokenList(config.TRIBUTARY_INTERNAL_TOKEN),
    kafka: kafkaSettings(config),
    postgres: postgresSettings(config),
    generationsSchema: config.TRIBUTARY_GENERATIONS_SCHEMA,
    topics: topicWiring(config),
    attributionUrl: config.TRIBUTARY_ATTRIBUTION_ADMIN_URL,
    rewardsUrl: config.TRIBUTARY_REWARDS_ADMIN_URL,
    dir: config.TRIBUTARY_REPLAY_DIR,
    workers: config.TRIBUTARY_REPLAY_WORKERS,
    yieldLag: config.TRIBUTARY_REPLAY_YIELD_LAG,
    attributionGroup: config.TRIBUTARY_ATTRIBUTION_GROUP,
    issuanceSchema: config.TRIBUTARY_ISSUANCE_SCHEMA,
    places: {
      attributionSchema: config.TRIBUTARY_ATTRIBUTION_SCHEMA,
      rewardsSchema: config.TRIBUTARY_REWARDS_SCHEMA,
      readModelSchema: config.TRIBUTARY_READ_MODEL_SCHEMA,
      attributionGroup: config.TRIBUTARY_ATTRIBUTION_GROUP,
      rewardsGroup: config.TRIBUTARY_REWARDS_GROUP,
      portalGroup: config.TRIBUTARY_PORTAL_GROUP,
    },
  };
}

function schemaName(standard: string) {
  return { ...postgresVariables.TRIBUTARY_POSTGRES_SCHEMA, default: standard };
}

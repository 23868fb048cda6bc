import { type Static, Type } from '@sinclair/typebox';
import {
  digestVariable,
  fingerprintVariable,
  parseKey,
  postgresSettings,
  postgresVariables,
  publicServiceSettings,
  publicServiceVariables,
  redisSettings,
  redisVariables,
  tenantLimitVariable,
  traceSettings,
  tracesShareVariable,
  tracesVariable,
} from '@tributary/runtime/variables';
import {
  parseTokenSigningKey,
  parseTokenVerifyKeys,
  tokenSigningVariable,
  tokenVerifyVariable,
} from '@tributary/runtime/token-keys';
import type { IngestSettings } from './app.ts';

/** The variables of this service; the keys are their names. */
export const IngestApiConfig = Type.Object({
  ...publicServiceVariables,
  ...postgresVariables,
  ...redisVariables,
  ...tokenSigningVariable,
  ...tokenVerifyVariable,
  ...digestVariable,
  ...fingerprintVariable,
  TRIBUTARY_POSTGRES_SCHEMA: Type.String({
    ...postgresVariables.TRIBUTARY_POSTGRES_SCHEMA,
    default: 'ingest',
  }),
  TRIBUTARY_CONSUMER_GROUP: Type.String({ default: 'ingest-api-owned-codes', minLength: 1 }),
  /** Put before every Redis key, for several deployments on one server. */
  TRIBUTARY_REDIS_KEY_PREFIX: Type.String({
    default: 'tributary:',
    verify: (prefix: string, all: Readonly<Record<string, unknown>>) =>
      prefix.includes('{') && all['TRIBUTARY_REDIS_CLUSTER_NODES'] !== undefined
        ? 'must have no { with TRIBUTARY_REDIS_CLUSTER_NODES: all keys would be in one slot'
        : undefined,
  }),
  /** How old an event may be before it is warned about (interface 2.7 rule 2). */
  TRIBUTARY_BACKDATING_WINDOW_DAYS: Type.Integer({ default: 90, minimum: 1, maximum: 36_500 }),
  ...tenantLimitVariable,
  ...tracesVariable,
  ...tracesShareVariable,
  /** How many requests of `/token` each process takes of one address. */
  TRIBUTARY_TOKENS_PER_SECOND: Type.Number({ default: 50, minimum: 0.1, maximum: 1_000_000 }),
  /** From append to refusal; keep it well below the callers' own timeouts. */
  TRIBUTARY_APPEND_DEADLINE_MS: Type.Integer({ default: 5_000, minimum: 1_000, maximum: 20_000 }),
  /**
   * How many events may wait for Redis and Kafka at once; more get 503 at once. Fewer than the edge
   * passes on, so that tokens and look-ups still come through.
   */
  TRIBUTARY_EVENTS_AT_ONCE: Type.Integer({ default: 800, minimum: 1, maximum: 20_000 }),
});
export type IngestApiConfig = Static<typeof IngestApiConfig>;

export function ingestSettings(config: IngestApiConfig): IngestSettings {
  const { traces } = traceSettings(config);
  return {
    ...publicServiceSettings(config),
    ...(traces && { traces: { ...traces, share: config.TRIBUTARY_TRACES_SAMPLED } }),
    postgres: postgresSettings(config),
    redis: redisSettings(config),
    redisKeyPrefix: config.TRIBUTARY_REDIS_KEY_PREFIX,
    group: config.TRIBUTARY_CONSUMER_GROUP,
    tokenSigningKey: parseTokenSigningKey(config.TRIBUTARY_TOKEN_SIGNING_KEY),
    tokenVerifyKeys: parseTokenVerifyKeys(config.TRIBUTARY_TOKEN_VERIFY_KEYS),
    accessKeyDigestKey: parseKey(config.TRIBUTARY_ACCESS_KEY_DIGEST_KEY),
    fingerprintKey: parseKey(config.TRIBUTARY_FINGERPRINT_KEY),
    backdatingWindowDays: config.TRIBUTARY_BACKDATING_WINDOW_DAYS,
    eventsPerSecond: config.TRIBUTARY_TENANT_EVENTS_PER_SECOND,
    tokensPerSecond: config.TRIBUTARY_TOKENS_PER_SECOND,
    appendDeadlineMs: config.TRIBUTARY_APPEND_DEADLINE_MS,
    eventsAtOnce: config.TRIBUTARY_EVENTS_AT_ONCE,
  };
}

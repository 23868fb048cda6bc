import { type Static, Type } from '@sinclair/typebox';
import {
  groupVariable,
  kafkaSettings,
  kafkaVariables,
  parseKeyRing,
  postgresSettings,
  postgresVariables,
  processVariables,
  secretVariables,
  topicWiring,
} from '@tributary/runtime/variables';
import { hostname } from 'node:os';
import type { DispatcherSettings } from './app.ts';
import { retryDelaysMs } from './domain/schedule.ts';

/** The variables of this service; the keys are their names. */
export const WebhookDispatcherConfig = Type.Object({
  ...processVariables,
  ...kafkaVariables,
  ...postgresVariables,
  ...secretVariables,
  TRIBUTARY_POSTGRES_SCHEMA: {
    ...postgresVariables.TRIBUTARY_POSTGRES_SCHEMA,
    default: 'dispatch',
  },
  TRIBUTARY_CONSUMER_GROUP: {
    ...groupVariable.TRIBUTARY_CONSUMER_GROUP,
    default: 'webhook-dispatcher',
  },
  /** Exchanges at once in this process. */
  TRIBUTARY_WEBHOOK_MAX_IN_FLIGHT: Type.Integer({ default: 256, minimum: 1, maximum: 10_000 }),
  /** Exchanges at once with one tenant's endpoint, over all processes. */
  TRIBUTARY_WEBHOOK_MAX_IN_FLIGHT_PER_ENDPOINT: Type.Integer({
    default: 64,
    minimum: 1,
    maximum: 1_000,
  }),
  /** For the whole exchange, from look-up to the end of the answer. */
  TRIBUTARY_WEBHOOK_TIMEOUT_MS: Type.Integer({ default: 10_000, minimum: 100, maximum: 60_000 }),
  /** From issue to giving up; a little more than the schedule without jitter takes. */
  TRIBUTARY_WEBHOOK_HORIZON_HOURS: Type.Integer({ default: 76, minimum: 1, maximum: 720 }),
});
export type WebhookDispatcherConfig = Static<typeof WebhookDispatcherConfig>;

/** A lease outlives the timeout by this much: time to write the result, also after a hiccup. */
const leaseMarginMs = 20_000;

export function dispatcherSettings(config: WebhookDispatcherConfig): DispatcherSettings {
  return {
    environment: config.SERVICE_ENV,
    host: config.TRIBUTARY_HOST,
    adminPort: config.TRIBUTARY_ADMIN_PORT,
    kafka: kafkaSettings(config),
    postgres: postgresSettings(config),
    topics: topicWiring(config),
    group: config.TRIBUTARY_CONSUMER_GROUP,
    secrets: parseKeyRing(config.TRIBUTARY_SECRET_KEY_RING),
    horizonMs: config.TRIBUTARY_WEBHOOK_HORIZON_HOURS * 3_600_000,
    answerLimitBytes: 16 * 1024,
    worker: {
      owner: `${hostname()}/${process.pid}`,
      maxInFlight: config.TRIBUTARY_WEBHOOK_MAX_IN_FLIGHT,
      maxInFlightPerTenant: config.TRIBUTARY_WEBHOOK_MAX_IN_FLIGHT_PER_ENDPOINT,
      timeoutMs: config.TRIBUTARY_WEBHOOK_TIMEOUT_MS,
      leaseMs: config.TRIBUTARY_WEBHOOK_TIMEOUT_MS + leaseMarginMs,
      pollMs: 500,
      retryDelaysMs,
    },
  };
}

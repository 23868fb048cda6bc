import { type Static, Type } from '@sinclair/typebox';
import {
  kafkaSettings,
  kafkaVariables,
  parseKeyRing,
  processVariables,
  publicPortVariable,
  tokenVariables,
} from '@tributary/runtime/variables';
import type { LegacyEventsSettings } from './app.ts';

/** The variables of this service; the keys are their names. */
export const LegacyEventsConfig = Type.Object({
  ...processVariables,
  ...publicPortVariable,
  ...kafkaVariables,
  ...tokenVariables,
  TRIBUTARY_BACKDATING_WINDOW_DAYS: Type.Integer({ default: 90, minimum: 1 }),
});
export type LegacyEventsConfig = Static<typeof LegacyEventsConfig>;

export function legacyEventsSettings(config: LegacyEventsConfig): LegacyEventsSettings {
  return {
    environment: config.SERVICE_ENV,
    host: config.TRIBUTARY_HOST,
    port: config.TRIBUTARY_PORT,
    adminPort: config.TRIBUTARY_ADMIN_PORT,
    kafka: kafkaSettings(config),
    topics: {
      prefix: config.TRIBUTARY_TOPIC_PREFIX,
      // None of this service's topics belongs to a generation.
      generation: 1,
      replication: config.TRIBUTARY_TOPIC_REPLICATION,
      minInsync: config.TRIBUTARY_TOPIC_MIN_INSYNC,
    },
    tokenKeys: parseKeyRing(config.TRIBUTARY_TOKEN_SIGNING_KEYS),
    backdatingWindowDays: config.TRIBUTARY_BACKDATING_WINDOW_DAYS,
  };
}

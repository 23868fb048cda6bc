import { type Static, Type } from '@sinclair/typebox';
import {
  kafkaSettings,
  kafkaVariables,
  parseKeyRing,
  processVariables,
  publicPortVariable,
  tokenVariables,
  topicWiring,
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
    topics: topicWiring(config),
    tokenKeys: parseKeyRing(config.TRIBUTARY_TOKEN_SIGNING_KEYS),
    backdatingWindowDays: config.TRIBUTARY_BACKDATING_WINDOW_DAYS,
  };
}

import { type Static, Type } from '@sinclair/typebox';
import {
  parseKeyRing,
  publicServiceSettings,
  publicServiceVariables,
  tenantLimitVariable,
  tokenVariables,
} from '@tributary/runtime/variables';
import type { LegacyEventsSettings } from './app.ts';

/** The variables of this service; the keys are their names. */
export const LegacyEventsConfig = Type.Object({
  ...publicServiceVariables,
  ...tokenVariables,
  ...tenantLimitVariable,
  TRIBUTARY_BACKDATING_WINDOW_DAYS: Type.Integer({ default: 90, minimum: 1 }),
});
export type LegacyEventsConfig = Static<typeof LegacyEventsConfig>;

export function legacyEventsSettings(config: LegacyEventsConfig): LegacyEventsSettings {
  return {
    ...publicServiceSettings(config),
    tokenKeys: parseKeyRing(config.TRIBUTARY_TOKEN_SIGNING_KEYS),
    eventsPerSecond: config.TRIBUTARY_TENANT_EVENTS_PER_SECOND,
    backdatingWindowDays: config.TRIBUTARY_BACKDATING_WINDOW_DAYS,
  };
}

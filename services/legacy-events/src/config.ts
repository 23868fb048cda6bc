import { type Static, Type } from '@sinclair/typebox';
import {
  publicServiceSettings,
  publicServiceVariables,
  tenantLimitVariable,
} from '@tributary/runtime/variables';
import { parseTokenVerifyKeys, tokenVerifyVariable } from '@tributary/runtime/token-keys';
import type { LegacyEventsSettings } from './app.ts';

/** The variables of this service; the keys are their names. */
export const LegacyEventsConfig = Type.Object({
  ...publicServiceVariables,
  ...tokenVerifyVariable,
  ...tenantLimitVariable,
  TRIBUTARY_BACKDATING_WINDOW_DAYS: Type.Integer({ default: 90, minimum: 1 }),
});
export type LegacyEventsConfig = Static<typeof LegacyEventsConfig>;

export function legacyEventsSettings(config: LegacyEventsConfig): LegacyEventsSettings {
  return {
    ...publicServiceSettings(config),
    tokenKeys: parseTokenVerifyKeys(config.TRIBUTARY_TOKEN_VERIFY_KEYS),
    eventsPerSecond: config.TRIBUTARY_TENANT_EVENTS_PER_SECOND,
    backdatingWindowDays: config.TRIBUTARY_BACKDATING_WINDOW_DAYS,
  };
}

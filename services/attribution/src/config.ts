import { type Static, Type } from '@sinclair/typebox';
import { generationsVariables, onlyGenerationVariable } from '@tributary/generations/variables';
import { parseTokenList } from '@tributary/http/fixed-tokens';
import {
  internalTokenVariable,
  postgresSettings,
  postgresVariables,
  serviceSettings,
  serviceVariables,
  traceSettings,
  tracesVariable,
} from '@tributary/runtime/variables';
import type { AttributionSettings } from './generation.ts';

/** The variables of this service; the keys are their names. */
export const AttributionConfig = Type.Object({
  ...serviceVariables,
  ...postgresVariables,
  ...generationsVariables,
  ...onlyGenerationVariable,
  ...internalTokenVariable,
  ...tracesVariable,
  /** The schema of the first generation; the second's is `attribution_g2`, and so on. */
  TRIBUTARY_POSTGRES_SCHEMA: Type.String({
    default: 'attribution_g1',
    pattern: '^[a-z_][a-z0-9_]{0,62}$',
    expected: 'a lower-case name of letters, digits and underscores',
  }),
  /** The group of the first generation; the second's is `attribution-g2`. */
  TRIBUTARY_CONSUMER_GROUP: Type.String({ default: 'attribution', minLength: 1 }),
});
export type AttributionConfig = Static<typeof AttributionConfig>;

export function attributionSettings(config: AttributionConfig): AttributionSettings {
  return {
    ...serviceSettings(config),
    ...traceSettings(config),
    postgres: postgresSettings(config),
    generationsSchema: config.TRIBUTARY_GENERATIONS_SCHEMA,
    ...(config.TRIBUTARY_GENERATION !== undefined && {
      onlyGeneration: config.TRIBUTARY_GENERATION,
    }),
    group: config.TRIBUTARY_CONSUMER_GROUP,
    internalTokens: parseTokenList(config.TRIBUTARY_INTERNAL_TOKEN),
  };
}

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
import type { RewardsSettings } from './generation.ts';

const SchemaName = { pattern: '^[a-z_][a-z0-9_]{0,62}$' };

/** The variables of this service; the keys are their names. */
export const RewardsConfig = Type.Object({
  ...serviceVariables,
  ...postgresVariables,
  ...generationsVariables,
  ...onlyGenerationVariable,
  ...internalTokenVariable,
  ...tracesVariable,
  /** The schema of the first generation; the second's is `rewards_g2`, and so on. */
  TRIBUTARY_POSTGRES_SCHEMA: Type.String({ default: 'rewards_g1', ...SchemaName }),
  /** Issuance facts live here, outside generations. */
  TRIBUTARY_ISSUANCE_SCHEMA: Type.String({ default: 'issuance', ...SchemaName }),
  /** The group of the first generation; the second's is `rewards-g2`. */
  TRIBUTARY_CONSUMER_GROUP: Type.String({ default: 'rewards', minLength: 1 }),
  /** `off`: this process folds and grants nothing, whichever generation is live. */
  TRIBUTARY_RELEASES: Type.Union([Type.Literal('on'), Type.Literal('off')], { default: 'on' }),
});
export type RewardsConfig = Static<typeof RewardsConfig>;

export function rewardsSettings(config: RewardsConfig): RewardsSettings {
  return {
    ...serviceSettings(config),
    ...traceSettings(config),
    postgres: postgresSettings(config),
    issuanceSchema: config.TRIBUTARY_ISSUANCE_SCHEMA,
    generationsSchema: config.TRIBUTARY_GENERATIONS_SCHEMA,
    ...(config.TRIBUTARY_GENERATION !== undefined && {
      onlyGeneration: config.TRIBUTARY_GENERATION,
    }),
    group: config.TRIBUTARY_CONSUMER_GROUP,
    internalTokens: parseTokenList(config.TRIBUTARY_INTERNAL_TOKEN),
    releases: config.TRIBUTARY_RELEASES === 'on',
  };
}

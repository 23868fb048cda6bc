import { isAbsolute } from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import { generationsVariables } from '@tributary/generations/variables';
import { parseTokenList } from '@tributary/http/fixed-tokens';
import {
  internalLinksVariable,
  internalTokenVariable,
  postgresSettings,
  postgresVariables,
  serviceSettings,
  serviceVariables,
} from '@tributary/runtime/variables';
import { internalUrl, mistakeOfPostgresUrl } from '@tributary/runtime/variable-rules';
import type { ReplaySettings } from './settings.ts';

/**
 * Told to earlier releases: how the first generation of the others is wired. They register that
 * themselves now; a deployment that still sets these must start.
 */
const formerVariables = {
  TRIBUTARY_ATTRIBUTION_GROUP: Type.Optional(Type.String()),
  TRIBUTARY_REWARDS_GROUP: Type.Optional(Type.String()),
  TRIBUTARY_PORTAL_GROUP: Type.Optional(Type.String()),
  TRIBUTARY_ATTRIBUTION_SCHEMA: Type.Optional(Type.String()),
  TRIBUTARY_REWARDS_SCHEMA: Type.Optional(Type.String()),
  TRIBUTARY_READ_MODEL_SCHEMA: Type.Optional(Type.String()),
  TRIBUTARY_ISSUANCE_SCHEMA: Type.Optional(Type.String()),
};

/** The variables of this service; the keys are their names. */
export const ReplayConfig = Type.Object({
  ...serviceVariables,
  ...postgresVariables,
  TRIBUTARY_POSTGRES_SCHEMA: { ...postgresVariables.TRIBUTARY_POSTGRES_SCHEMA, default: 'replay' },
  /** Databases that read models have of their own, to see how far they are and to remove them. */
  TRIBUTARY_READ_MODEL_POSTGRES_URL: Type.Optional(
    Type.String({
      secret: true,
      expected: 'postgresql://user:password@host:port/database, or several with blanks between',
      verify: (text: string) => listOf(text).map(mistakeOfPostgresUrl).find(Boolean),
    }),
  ),
  ...generationsVariables,
  ...internalTokenVariable,
  /** Where other services answer this one; several while two releases run a generation each. */
  TRIBUTARY_ATTRIBUTION_ADMIN_URL: internalUrl({ several: true }),
  TRIBUTARY_REWARDS_ADMIN_URL: internalUrl({ several: true }),
  ...internalLinksVariable('TRIBUTARY_ATTRIBUTION_ADMIN_URL', 'TRIBUTARY_REWARDS_ADMIN_URL'),
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
  ...formerVariables,
});
export type ReplayConfig = Static<typeof ReplayConfig>;

export function replaySettings(config: ReplayConfig): ReplaySettings {
  return {
    ...serviceSettings(config),
    logLevel: config.TRIBUTARY_LOG_LEVEL,
    internalTokens: parseTokenList(config.TRIBUTARY_INTERNAL_TOKEN),
    postgres: postgresSettings(config),
    readModelUrls: listOf(config.TRIBUTARY_READ_MODEL_POSTGRES_URL ?? ''),
    generationsSchema: config.TRIBUTARY_GENERATIONS_SCHEMA,
    attributionUrl: config.TRIBUTARY_ATTRIBUTION_ADMIN_URL,
    rewardsUrl: config.TRIBUTARY_REWARDS_ADMIN_URL,
    dir: config.TRIBUTARY_REPLAY_DIR,
    workers: config.TRIBUTARY_REPLAY_WORKERS,
    yieldLag: config.TRIBUTARY_REPLAY_YIELD_LAG,
  };
}

/** Not by commas: an address may name several hosts so. */
function listOf(text: string): string[] {
  return text.split(/\s+/).filter((part) => part !== '');
}

import { type Static, Type } from '@sinclair/typebox';
import {
  digestVariable,
  kafkaSettings,
  kafkaVariables,
  parseKey,
  parseKeyRing,
  postgresSettings,
  postgresVariables,
  processVariables,
  publicPortVariable,
  secretVariables,
  topicWiring,
  uccVariable,
} from '@tributary/runtime/variables';
import { parseOperatorTokens } from './adapters/http/operator-tokens.ts';
import type { PortalSettings } from './app.ts';

const minTokenLength = 16;
const operatorTokens = `one token or a comma list, each of at least ${minTokenLength} characters without blanks`;

/** The variables of this service; the keys are their names. */
export const PortalConfig = Type.Object({
  ...processVariables,
  ...publicPortVariable,
  ...kafkaVariables,
  ...postgresVariables,
  TRIBUTARY_POSTGRES_SCHEMA: { ...postgresVariables.TRIBUTARY_POSTGRES_SCHEMA, default: 'portal' },
  ...secretVariables,
  ...digestVariable,
  ...uccVariable,
  /** What an operator presents as bearer token; a comma list while one replaces another. */
  TRIBUTARY_OPERATOR_TOKEN: Type.String({
    secret: true,
    expected: operatorTokens,
    verify: (text: string) => (areOperatorTokens(text) ? undefined : `must be ${operatorTokens}`),
  }),
});
export type PortalConfig = Static<typeof PortalConfig>;

export function portalSettings(config: PortalConfig): PortalSettings {
  return {
    environment: config.SERVICE_ENV,
    host: config.TRIBUTARY_HOST,
    port: config.TRIBUTARY_PORT,
    adminPort: config.TRIBUTARY_ADMIN_PORT,
    kafka: kafkaSettings(config),
    postgres: postgresSettings(config),
    topics: topicWiring(config),
    keyRing: parseKeyRing(config.TRIBUTARY_SECRET_KEY_RING),
    accessKeyDigestKey: parseKey(config.TRIBUTARY_ACCESS_KEY_DIGEST_KEY),
    uccKey: parseKey(config.TRIBUTARY_UCC_KEY),
    operatorTokens: parseOperatorTokens(config.TRIBUTARY_OPERATOR_TOKEN),
  };
}

function areOperatorTokens(text: string): boolean {
  const tokens = parseOperatorTokens(text);
  return (
    tokens.length > 0 &&
    tokens.every((token) => token.length >= minTokenLength && !/\s/.test(token))
  );
}

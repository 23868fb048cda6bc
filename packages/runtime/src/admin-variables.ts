import { Type } from '@sinclair/typebox';
import { postgresVariables, redisVariables } from './variables.ts';

/** For whoever makes the principals of the services: where the stores are, as administrator. */
export const adminVariables = {
  TRIBUTARY_POSTGRES_URL: postgresVariables.TRIBUTARY_POSTGRES_URL,
  TRIBUTARY_POSTGRES_TLS: postgresVariables.TRIBUTARY_POSTGRES_TLS,
  TRIBUTARY_POSTGRES_TLS_CA_FILE: postgresVariables.TRIBUTARY_POSTGRES_TLS_CA_FILE,
  TRIBUTARY_REDIS_URL: Type.Optional(redisVariables.TRIBUTARY_REDIS_URL),
  TRIBUTARY_REDIS_TLS_CA_FILE: redisVariables.TRIBUTARY_REDIS_TLS_CA_FILE,
  /** Where the generated passwords are kept; made when it is missing. */
  TRIBUTARY_PASSWORDS_FILE: Type.String({ expected: 'a path' }),
  /** Roles belong to a whole server; several deployments on one need a name each. */
  TRIBUTARY_ROLE_PREFIX: Type.String({
    default: 'tributary',
    pattern: '^[a-z_][a-z0-9_]{0,30}$',
    expected: 'a lower-case name of letters, digits and underscores',
  }),
};

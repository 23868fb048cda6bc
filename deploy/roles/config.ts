import { configSchema } from '../../packages/runtime/src/config-schema.ts';
import { adminVariables } from '../../packages/runtime/src/admin-variables.ts';

/** The variables of the command that makes roles: administrators' URLs, and the passwords. */
export const RolesConfig = configSchema(adminVariables);

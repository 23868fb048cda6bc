import { Type } from '@sinclair/typebox';

/** For services that host generations, or make them. */
export const generationsVariables = {
  /** Which generations there are, and which one is live; outside generations. */
  TRIBUTARY_GENERATIONS_SCHEMA: Type.String({
    default: 'generations',
    pattern: '^[a-z_][a-z0-9_]{0,62}$',
    expected: 'a lower-case name of letters, digits and underscores',
  }),
};

/** Run this one only. Absent: every one that is registered, as they come and go. */
export const onlyGenerationVariable = {
  TRIBUTARY_GENERATION: Type.Optional(Type.Integer({ minimum: 1 })),
};

import { Type } from '@sinclair/typebox';

/** The body of a request that needs none. */
export const NoMembers = Type.Object({}, { additionalProperties: false });

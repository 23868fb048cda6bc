import { closedObject } from '../closed-object.ts';

/** The body of a request that needs none. */
export const NoMembers = closedObject({});

import { type Static, Type } from '@sinclair/typebox';
import { closedObject } from '../closed-object.ts';

/** Answer of GET /referral-codes/active-link/{productUserId} (interface 4.6). */
export const ActiveLink = closedObject({
  /** A code of the user that is valid now. */
  activeUcc: Type.String(),
  /** The invite link of that code, for sharing. */
  link: Type.String(),
});
export type ActiveLink = Static<typeof ActiveLink>;

import { type Static, Type } from '@sinclair/typebox';

/** Answer of GET /referral-codes/active-link/{productUserId} (interface 4.6). */
export const ActiveLink = Type.Object(
  {
    /** A code of the user that is valid now. */
    activeUcc: Type.String(),
    /** The invite link of that code, for sharing. */
    link: Type.String(),
  },
  { additionalProperties: false },
);
export type ActiveLink = Static<typeof ActiveLink>;

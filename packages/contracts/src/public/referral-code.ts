import { type Static, Type } from '@sinclair/typebox';
import { closedObject } from '../closed-object.ts';

/** Answer of the code look-up (interface 2.10). */
export const ReferralCode = closedObject({
  code: Type.String(),
  /** Whether the code is currently valid. */
  valid: Type.Boolean(),
  /** The user who owns the code. */
  productUserId: Type.Optional(Type.String()),
  campaignId: Type.Optional(Type.String()),
});
export type ReferralCode = Static<typeof ReferralCode>;

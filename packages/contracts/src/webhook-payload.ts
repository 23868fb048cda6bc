import { type Static, Type } from '@sinclair/typebox';
import { closedObject } from './closed-object.ts';

/** The body of the new-reward webhook (interface 2.12). */
export const WebhookPayload = closedObject({
  version: Type.Literal('1.0.0'),
  eventType: Type.Literal('new-reward'),
  /** ISO 8601, UTC, milliseconds. */
  createdTs: Type.String(),
  eventId: Type.String(),
  data: closedObject({
    rewardId: Type.String(),
    productUserId: Type.String(),
    rewardType: Type.Literal('credits'),
    /** On the wire a JSON number with exactly the decimals of the issuance. */
    reward: closedObject({ amount: Type.Number() }),
  }),
});
export type WebhookPayload = Static<typeof WebhookPayload>;

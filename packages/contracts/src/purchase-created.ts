import { type Static, Type } from '@sinclair/typebox';
import { createBodyReader } from './body-reader.ts';
import { Currency } from './currency.ts';
import {
  Amount,
  IdempotencyKey,
  InvoiceId,
  NewUser,
  OccurredAt,
  PurchasedSubscription,
  Ucc,
} from './event-fields.ts';

/** Body of POST /v2/events/purchase-created (interface 2.1). */
export const PurchaseCreated = Type.Object(
  {
    ucc: Ucc,
    occurredAt: OccurredAt,
    newUser: NewUser,
    idempotencyKey: Type.Optional(IdempotencyKey),
    currency: Currency,
    invoiceId: InvoiceId,
    amount: Amount,
    subscription: PurchasedSubscription,
  },
  { additionalProperties: false, description: 'a JSON object' },
);
export type PurchaseCreated = Static<typeof PurchaseCreated>;

export const readPurchaseCreated = createBodyReader(PurchaseCreated);

import { type Static, Type } from '@sinclair/typebox';
import { createBodyReader } from '../body-reader.ts';
import { Currency } from '../currency.ts';
import {
  Amount,
  closedBody,
  eventFields,
  InvoiceId,
  PurchasedSubscription,
} from './event-fields.ts';

/** Body of POST /v2/events/purchase-created (interface 2.1). */
export const PurchaseCreated = Type.Object(
  {
    ...eventFields,
    currency: Currency,
    invoiceId: InvoiceId,
    amount: Amount,
    subscription: PurchasedSubscription,
  },
  closedBody,
);
export type PurchaseCreated = Static<typeof PurchaseCreated>;

export const readPurchaseCreated = createBodyReader(PurchaseCreated);

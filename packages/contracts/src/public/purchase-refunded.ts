import { type Static, Type } from '@sinclair/typebox';
import { createBodyReader } from '../body-reader.ts';
import { Currency } from '../currency.ts';
import {
  Amount,
  closedBody,
  eventFields,
  InvoiceId,
  RefundedSubscription,
} from './event-fields.ts';

/**
 * Body of POST /v2/events/purchase-refunded (interface 4.2, design 8 "Sibling events"). `invoiceId`
 * is that of the purchase; `amount` is what this refund gives back, in minor units: several partial
 * refunds add up.
 */
export const PurchaseRefunded = Type.Object(
  {
    ...eventFields,
    currency: Currency,
    invoiceId: InvoiceId,
    amount: Amount,
    subscription: Type.Optional(RefundedSubscription),
  },
  closedBody,
);
export type PurchaseRefunded = Static<typeof PurchaseRefunded>;

export const readPurchaseRefunded = createBodyReader(PurchaseRefunded);

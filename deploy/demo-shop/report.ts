import type {
  PurchaseCreated,
  PurchaseRefunded,
  SignupCreated,
} from '../../packages/client/src/wire-types.ts';
import type { Customer, Order } from './shop-store.ts';
import { currency } from './teas.ts';

/** One event for the referral service; `key` makes a repeated one harmless (Idempotency-Key). */
export type Report = { key: string } & (
  | { type: 'signup'; body: SignupCreated }
  | { type: 'purchase'; body: PurchaseCreated }
  | { type: 'refund'; body: PurchaseRefunded }
);

/** Only of customers who came with a code; nobody else's business is the referral service's. */
export type Referred = Customer & { ucc: string };

export function isReferred(customer: Customer): customer is Referred {
  return customer.ucc !== undefined;
}

export function signupReport(customer: Referred): Report {
  const body = { ...about(customer), occurredAt: customer.since };
  return { key: `signup-${customer.id}`, type: 'signup', body };
}

export function purchaseReport(customer: Referred, order: Order): Report {
  const body = {
    ...about(customer),
    occurredAt: order.at,
    ...{ currency, invoiceId: order.id, amount: order.amount },
    subscription: { interval: 'one-time' as const, productKey: order.teaId },
  };
  return { key: `purchase-${order.id}`, type: 'purchase', body };
}

export function refundReport(customer: Referred, order: Order, now: Date): Report {
  const body = {
    ...about(customer),
    occurredAt: now.toISOString(),
    ...{ currency, invoiceId: order.id, amount: order.amount },
  };
  return { key: `refund-${order.id}`, type: 'refund', body };
}

function about({ ucc, id, name, email }: Referred) {
  return { ucc, newUser: { id, name, email } };
}

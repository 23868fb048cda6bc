import type { V2EventType } from '@tributary/contracts/public/v2-events';
import type { Json } from './json-schema.ts';

/** Named examples, as OpenAPI has them. */
export type Examples = Record<string, { summary: string; value: Json }>;

/** Words and examples for one event type: all that this folder needs for a new one. */
export type EventDocs = { summary: string; description: string; examples: Examples };

const user = { id: 'user-4711', email: 'nova@example.com', name: 'Nova Buyer' };
const signup = {
  ucc: 'MiYK421SmMb',
  occurredAt: '2026-01-31T12:00:00Z',
  newUser: user,
};
const smallest = {
  summary: 'Only what is required',
  value: {
    ucc: 'MiYK421SmMb',
    occurredAt: '2026-01-31T13:00:00+01:00',
    newUser: { id: 'user-4711' },
  },
};

export const eventDocs: Record<V2EventType, EventDocs> = {
  'purchase-created': {
    summary: 'Report a purchase',
    description:
      'Reports that a referred user paid: a first invoice, a renewal, or a purchase for nothing ' +
      '(`amount` 0). One `invoiceId` earns once, however often and by whichever endpoint it comes.',
    examples: {
      subscription: {
        summary: 'A monthly subscription',
        value: {
          ...signup,
          idempotencyKey: 'invoice-in_1042',
          currency: 'EUR',
          invoiceId: 'in_1042',
          amount: 4900,
          subscription: { id: 'sub_88', interval: 'monthly', seatsUsed: 3, productKey: 'team' },
        },
      },
      smallest: {
        summary: smallest.summary,
        value: {
          ...smallest.value,
          currency: 'JPY',
          invoiceId: 'in_1043',
          amount: 0,
          subscription: { interval: 'one-time' },
        },
      },
    },
  },
  'signup-created': {
    summary: 'Report a signup',
    description: 'Reports that a referred user signed up. One user earns once.',
    examples: {
      signup: { summary: 'A signup with the name of the user', value: signup },
      smallest,
    },
  },
  'demo-attended': {
    summary: 'Report an attended demo',
    description: 'Reports that a referred user attended a demo. One user earns once.',
    examples: {
      demo: { summary: 'A demo', value: signup },
      smallest,
    },
  },
  'purchase-refunded': {
    summary: 'Report a refund',
    description:
      'Reports that a purchase was refunded, wholly or in part. `invoiceId` is that of the purchase; ' +
      'a refund that arrives before its purchase waits for it.',
    examples: {
      partial: {
        summary: 'A part of the purchase',
        value: {
          ...signup,
          occurredAt: '2026-02-03T09:30:00.250Z',
          idempotencyKey: 'refund-re_7',
          currency: 'EUR',
          invoiceId: 'in_1042',
          amount: 1900,
          subscription: { id: 'sub_88', interval: 'monthly' },
        },
      },
      smallest: {
        summary: smallest.summary,
        value: { ...smallest.value, currency: 'EUR', invoiceId: 'in_1042', amount: 4900 },
      },
    },
  },
};

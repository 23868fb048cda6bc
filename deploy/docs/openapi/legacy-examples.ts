import type { Examples } from './event-docs.ts';

const newUser = { id: 'user-4711', name: 'Nova Buyer', email: 'nova@example.com' };
const event = (trigger: string) => ({ trigger, timestamp: '2026-01-31T12:00:00' });

export const legacyEventExamples: Examples = {
  signup: {
    summary: 'A signup',
    value: {
      eventName: 'ReferralUpdated',
      payload: { ucc: 'MiYK421SmMb', newUserId: 'user-4711', price: 0, currency: '' },
      context: { event: event('new-signup'), newUser },
    },
  },
  payment: {
    summary: 'A paid invoice',
    value: {
      eventName: 'ReferralUpdated',
      payload: { ucc: 'MiYK421SmMb', newUserId: 'user-4711', price: 4900, currency: 'EUR' },
      context: {
        event: event('invoice-paid'),
        newUser,
        subscription: { invoiceId: 'in_1042', interval: 'monthly' },
      },
    },
  },
};

export const legacyAcceptedExamples: Examples = {
  stored: { summary: 'Stored', value: { success: true } },
};

/** The endpoint's own sentence for one refusal. */
export function legacyErrorExample(message: string): Examples {
  return { refused: { summary: message, value: { message } } };
}

import type { Json } from './json-schema.ts';

/**
 * Bodies of the frozen endpoint (interface 4.4, design 8 "Legacy"). They are written here because
 * that endpoint reads by tolerance and has no schema: unknown fields are let through, a number may
 * come as text. A spec reads the examples with the endpoint's own reader.
 */
const text = (description: string): Json => ({ type: ['string', 'null'], description });
const number = (description: string): Json => ({ type: ['number', 'string', 'null'], description });
const object = (description: string, properties: Json): Json => ({
  type: ['object', 'null'],
  description,
  properties,
});

const context = object('What the event is about.', {
  event: object('What happened, and when.', {
    trigger: {
      type: ['string', 'null'],
      enum: ['new-signup', 'demo-call-attended', 'invoice-paid', 'charge-refunded', null],
      description:
        'What happened. Left out: `new-signup` when the price is 0 and the currency empty, else ' +
        '`invoice-paid`.',
    },
    timestamp: text(
      'When it happened, ISO 8601 with `T` or a space. Without an offset it is taken as UTC; left ' +
        'out, it is the time of receipt.',
    ),
  }),
  newUser: object('The referred user. Flat fields such as `newUserEmail` are not read.', {
    id: text('Your user id, as in `payload.newUserId`, which counts.'),
    email: text('The e-mail address.'),
    name: text('The whole name; it is not called `fullName`.'),
    organizationId: text('The identifier of an organization.'),
  }),
  subscription: object('What was bought or refunded.', {
    id: text('The identifier of the subscription.'),
    invoiceId: text('Identifies the payment; a refund carries the same one.'),
    interval: text('The billing interval.'),
    seatsUsed: number('Seats occupied.'),
    productKey: text('The plan or product.'),
  }),
});

export const legacySchemas: Record<string, Json> = {
  LegacyEvent: {
    type: 'object',
    description: 'An open object: fields that are not listed are ignored.',
    required: ['payload'],
    properties: {
      eventName: {
        type: ['string', 'null'],
        enum: ['ReferralUpdated', null],
        description: 'Fixed.',
      },
      payload: {
        type: 'object',
        description: 'Who, by which code, and how much.',
        required: ['newUserId'],
        properties: {
          ucc: text('The referral code.'),
          newUserId: {
            type: ['string', 'number'],
            description: 'Your own identifier of the referred user.',
          },
          price: number(
            'What was paid, in minor units; decimals are rounded half up. 0 for a signup.',
          ),
          currency: text('ISO 4217 in any case; an empty text for a signup.'),
        },
      },
      context,
    },
  },
  LegacyAccepted: {
    type: 'object',
    required: ['success'],
    properties: { success: { const: true, description: 'The event is durably written.' } },
  },
  LegacyError: {
    type: 'object',
    required: ['message'],
    properties: { message: { type: 'string', description: 'What was wrong, for people.' } },
  },
};

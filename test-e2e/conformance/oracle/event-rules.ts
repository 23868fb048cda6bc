/** Sections 2.1 to 2.5 and the sibling events of design 8, as tables in schema order. */
export type Rule =
  | { is: 'text' | 'key' | 'email' | 'date-time' | 'currency' | 'interval' | 'amount' | 'count' }
  | { is: 'object'; members: readonly Member[] };
export type Member = { name: string; required: boolean; rule: Rule; unused?: boolean };

export const eventTypes = [
  'purchase-created',
  'signup-created',
  'demo-attended',
  'purchase-refunded',
] as const;
export type EventType = (typeof eventTypes)[number];

export const intervals: ReadonlySet<string> = new Set([
  ...['one-time', 'weekly', 'bi-weekly', 'monthly', 'quarterly', 'semi-annual', 'yearly'],
  ...['biennial', 'triennial', 'lifetime'],
]);

const needs = (name: string, rule: Rule): Member => ({ name, required: true, rule });
const may = (name: string, rule: Rule): Member => ({ name, required: false, rule });
/** In the contract and not yet processed: FIELD_NOT_YET_HONOURED (2.7 rule 3, design 8). */
const mayUnused = (name: string, rule: Rule): Member => ({ ...may(name, rule), unused: true });

const text: Rule = { is: 'text' };
const newUser: Rule = {
  is: 'object',
  members: [
    needs('id', text),
    may('email', { is: 'email' }),
    may('name', text),
    mayUnused('organizationId', text),
  ],
};
const subscription = (interval: Member): Rule => ({
  is: 'object',
  members: [
    mayUnused('id', text),
    interval,
    may('seatsUsed', { is: 'count' }),
    may('productKey', text),
  ],
});

const common: readonly Member[] = [
  needs('ucc', text),
  needs('occurredAt', { is: 'date-time' }),
  needs('newUser', newUser),
  may('idempotencyKey', { is: 'key' }),
];
const payment: readonly Member[] = [
  needs('currency', { is: 'currency' }),
  needs('invoiceId', text),
  needs('amount', { is: 'amount' }),
];

export const eventMembers: Record<EventType, readonly Member[]> = {
  'purchase-created': [
    ...common,
    ...payment,
    needs('subscription', subscription(needs('interval', { is: 'interval' }))),
  ],
  'signup-created': common,
  'demo-attended': common,
  'purchase-refunded': [
    ...common,
    ...payment,
    may('subscription', subscription(may('interval', { is: 'interval' }))),
  ],
};

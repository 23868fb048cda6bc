import type { FetchedType } from '@tributary/contracts/processor-record';
import { expect } from 'chai';
import { official, shapes } from '../testing/stripe-world.ts';
import { readEventObject, readFetched } from './read-object.ts';

const kinds = [
  ['invoice.paid', 'invoice'],
  ['checkout.session.completed', 'checkout.session'],
  ['charge.refunded', 'charge'],
  ['customer.subscription.created', 'subscription'],
] as const;
const answers: [FetchedType, string][] = [
  ['customer', 'customer'],
  ['price', 'price'],
  ['invoice', 'invoice'],
  ['checkout-session', 'checkout.session'],
  ['charge', 'charge'],
  ['payment-intent', 'payment_intent'],
];
const lists: [FetchedType, string][] = [
  ['refunds', 'refund'],
  ['invoice-lines', 'line_item'],
  ['session-lines', 'item'],
];

const personal = [
  ...['email', 'name', 'phone', 'address', 'description', 'memo', 'nickname', 'reason'],
  ...['customer_email', 'customer_name', 'customer_phone', 'customer_address', 'receipt_email'],
  ...['customer_details', 'billing_details', 'shipping', 'shipping_details', 'individual_name'],
  ...['client_reference_id', 'statement_descriptor', 'receipt_url', 'hosted_invoice_url'],
  ...['business_name', 'collected_information', 'payment_method_details', 'custom_fields'],
];

/** With these members at every depth, and metadata of which the customer's two keys are no part. */
function redacted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(redacted);
  if (typeof value !== 'object' || value === null) return value;
  const inner = Object.entries(value).map(([name, member]) => [name, redacted(member)] as const);
  const metadata = { note: 'canary', canary: 'x', service_ucc: 'CODE', new_user_id: 'u1' };
  const extra = personal.map((name) => [name, { line1: 'canary' }] as const);
  return { ...Object.fromEntries(inner), ...Object.fromEntries(extra), metadata };
}

describe('personal data (docs/stripe.md, "What is stored")', () => {
  for (const shape of shapes) {
    it(`is in no record of an event, ${shape} shape`, () => {
      for (const [kind, name] of kinds) {
        const object = readEventObject(kind, redacted(official(shape, name)));
        expect(object?.object, kind).to.not.equal('unreadable');
        expect(JSON.stringify(object), kind).to.not.include('canary');
      }
    });

    it(`is in no record of an answer, ${shape} shape`, () => {
      for (const [type, name] of answers) {
        const read = readFetched(type, 'id_1', redacted(official(shape, name)));
        expect(read.outcome, type).to.equal('object');
        expect(JSON.stringify(read), type).to.not.include('canary');
      }
      for (const [type, name] of lists) {
        const read = readFetched(type, 'id_1', [redacted(official(shape, name))]);
        expect(read.outcome, type).to.equal('object');
        expect(JSON.stringify(read), type).to.not.include('canary');
      }
    });

    it(`is in no word about what is not understood, ${shape} shape`, () => {
      for (const [kind, name] of kinds.slice(0, 3)) {
        for (const member of ['created', 'amount_paid', 'amount_total', 'amount']) {
          const raw = { ...official(shape, name), [member]: 'canary@example.com' };
          expect(JSON.stringify(readEventObject(kind, raw)), `${kind} ${member}`).to.not.include(
            'canary',
          );
        }
      }
    });
  }
});

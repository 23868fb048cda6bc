import {
  type FetchedType,
  processorCodec,
  type ProcessorFetched,
  type StripeObject,
} from '@tributary/contracts/processor-record';
import { expect } from 'chai';
import fc from 'fast-check';
import { type Json, official, shapes } from '../testing/stripe-world.ts';
import { usedKinds } from './kinds.ts';
import { readEventObject, readFetched } from './read-object.ts';

/** The official fixture of the object that each kind is about. */
const names = {
  'checkout.session.completed': 'checkout.session',
  'customer.subscription.created': 'subscription',
  'customer.subscription.updated': 'subscription',
  'invoice.paid': 'invoice',
  'charge.refunded': 'charge',
} as const;

const price = { object: 'price', productId: null, interval: null } as const;

describe('an object of an event (official fixtures)', () => {
  for (const shape of shapes) {
    for (const kind of usedKinds) {
      it(`is read of ${kind}, ${shape} API, and fits a record`, () => {
        const object = readEventObject(kind, official(shape, names[kind]))!;
        expect(object.object).to.equal(names[kind].replace('.', '-'));
        expect(roundTrip(object)).to.deep.equal(object);
      });
    }
  }

  it('is none of a kind that is not used', () => {
    expect(readEventObject('invoice.created', official('old', 'invoice'))).to.equal(undefined);
  });

  it('is the same invoice where members moved', () => {
    const line = { id: 'il_1', amount: 1_000, quantity: 2 };
    const common = { id: 'in_1', customer: 'cus_1', number: 'A-1', status: 'paid' };
    const old = readEventObject('invoice.paid', {
      ...official('old', 'invoice', { ...common, subscription: 'sub_1' }),
      lines: listOf({
        ...official('old', 'line_item', line),
        ...{ type: 'subscription', subscription: 'sub_1', proration: true },
        price: official('old', 'price', { id: 'price_1', product: 'prod_1' }),
      }),
    });
    const details = { proration: true, subscription: 'sub_1', subscription_item: 'si_1' };
    const now = readEventObject('invoice.paid', {
      ...official('new', 'invoice', common),
      parent: { subscription_details: { subscription: 'sub_1' }, type: 'subscription_details' },
      lines: listOf({
        ...official('new', 'line_item', line),
        parent: { subscription_item_details: details, type: 'subscription_item_details' },
        pricing: { price_details: { price: 'price_1', product: 'prod_1' }, type: 'price_details' },
      }),
    });
    if (old?.object !== 'invoice') throw new Error('no invoice');
    expect(old.lines).to.deep.equal([
      {
        ...{ ...line, recurring: true, proration: true },
        ...{ priceId: 'price_1', productId: 'prod_1', subscriptionId: 'sub_1' },
      },
    ]);
    // Only what the newer version does not carry any more differs, and is asked for.
    const interval = { unit: 'month', count: 1 };
    expect(old.prices).to.deep.equal([{ ...price, id: 'price_1', productId: 'prod_1', interval }]);
    expect(old.payments).to.deep.equal({ paymentIntentIds: [], chargeIds: [] });
    expect(now).to.deep.equal({ ...old, prices: [], payments: null });
  });

  it('is the same whether other objects are there by their ids or expanded', () => {
    const plain = {
      customer: 'cus_1',
      payment_intent: 'pi_1',
      charge: 'ch_1',
      subscription: 'sub_1',
    };
    const expanded = Object.fromEntries(
      Object.entries(plain).map(([name, id]) => [name, { id, object: name }]),
    );
    const read = (members: Json) =>
      readEventObject('invoice.paid', official('old', 'invoice', members));
    expect(read(expanded)).to.deep.equal(read(plain));
    expect(read(plain)).to.deep.include({
      ...{ customerId: 'cus_1', subscriptionId: 'sub_1' },
      payments: { paymentIntentIds: ['pi_1'], chargeIds: ['ch_1'] },
    });
  });

  it('takes the payments of an invoice that carries them, paid ones only', () => {
    const payment = (status: string, of: Json) =>
      official('new', 'invoice_payment', { status, payment: of });
    const invoice = {
      ...official('new', 'invoice'),
      payments: listOf(
        payment('paid', { payment_intent: { id: 'pi_1', latest_charge: 'ch_1' } }),
        payment('paid', { charge: 'ch_2' }),
        payment('canceled', { payment_intent: 'pi_never' }),
      ),
    };
    expect(readEventObject('invoice.paid', invoice)).to.deep.include({
      payments: { paymentIntentIds: ['pi_1'], chargeIds: ['ch_1', 'ch_2'] },
    });
  });

  for (const [members, excluding] of [
    [{ total_excluding_tax: 840 }, 840],
    [{ total_excluding_tax: null, tax: 160 }, 840],
    [{ total_excluding_tax: null, total_taxes: [{ amount: 100 }, { amount: 60 }] }, 840],
    [{ total_excluding_tax: null, total_taxes: [] }, null],
    [{ total_excluding_tax: null, tax: null }, null],
  ] as const) {
    it(`is without tax ${excluding} of 1000 with ${JSON.stringify(members)}`, () => {
      const invoice = { ...official('old', 'invoice'), ...members };
      const read = readEventObject('invoice.paid', invoice);
      expect(read).to.deep.include({ total: 1_000, totalExcludingTax: excluding });
    });
  }

  it('tells a charge that has no invoice from one that does not say', () => {
    const charge = official('old', 'charge', { invoice: null });
    expect(readEventObject('charge.refunded', charge)).to.include({ invoiceId: null });
    const newer = readEventObject('charge.refunded', official('new', 'charge'));
    expect(newer).not.to.have.property('invoiceId');
  });

  it('has all refunds of a charge, or none when there are more', () => {
    const refunds = [{ ...official('old', 'refund', { id: 're_1', amount: 5 }) }];
    const charge = (more: boolean) =>
      official('old', 'charge', { refunds: { ...listOf(...refunds), has_more: more } });
    expect(readEventObject('charge.refunded', charge(false))).to.have.nested.property(
      'refunds[0].id',
      're_1',
    );
    expect(readEventObject('charge.refunded', charge(true))).not.to.have.property('refunds');
  });

  it('takes plans for prices, as before there were prices', () => {
    const plan = {
      id: 'plan_1',
      object: 'plan',
      interval: 'year',
      interval_count: 2,
      product: 'p',
    };
    const { price: _, ...line } = official('old', 'line_item');
    const invoice = { ...official('old', 'invoice'), lines: listOf({ ...line, plan }) };
    expect(readEventObject('invoice.paid', invoice)).to.have.deep.property('prices', [
      { ...price, id: 'plan_1', productId: 'p', interval: { unit: 'year', count: 2 } },
    ]);
  });

  it('keeps of a customer two keys of its metadata and nothing else (docs/decisions/0014)', () => {
    const metadata = { service_ucc: ' code ', new_user_id: 'user', email: 'e@example.com' };
    const raw = official('new', 'customer', { metadata, email: 'a@example.com', name: 'Ada' });
    expect(fetched('customer', 'cus_1', raw)).to.deep.equal({
      ...{ object: 'customer', id: raw['id'], deleted: false, ucc: ' code ', newUserId: 'user' },
    });
    const gone = official('old', 'deleted_customer');
    expect(fetched('customer', 'cus_1', gone)).to.include({ deleted: true, ucc: null });
  });

  for (const [what, member, value, where] of [
    ['without an amount', 'amount_paid', undefined, 'amount_paid'],
    ['with an amount that is text', 'total', '1000', 'total'],
    ['with half a cent', 'amount_paid', 0.5, 'amount_paid'],
    ['made before 1970', 'created', -1, 'created'],
    ['made too late for RFC 3339', 'created', 253_402_300_800, 'created'],
    ['with lines that are none', 'lines', { data: [7] }, 'lines[0]'],
    ['with NUL in its currency', 'currency', 'e\u0000r', 'currency'],
  ] as const) {
    it(`${what} is unreadable, named by its id, without its values`, () => {
      const invoice = { ...official('old', 'invoice', { id: 'in_1' }), [member]: value };
      const object = readEventObject('invoice.paid', invoice)!;
      expect(object).to.include({ object: 'unreadable', type: 'invoice', id: 'in_1' });
      if (object.object !== 'unreadable') throw new Error('it is readable');
      expect(object.customerId).to.equal(invoice['customer']);
      expect(object.detail).to.match(
        new RegExp(`^${where.replace(/[[\]]/g, '\\$&')}: .* is expected$`),
      );
    });
  }

  it('of a subscription that is unreadable has no prices', () => {
    const subscription = { ...official('new', 'subscription', { id: 'sub_1' }), items: 7 };
    expect(readEventObject('customer.subscription.updated', subscription)).to.include({
      ...{ object: 'subscription', id: 'sub_1' },
    });
  });

  it('fits a record whatever is in it', () => {
    const odd = fc.oneof(
      fc.anything({ maxDepth: 1, withNullPrototype: false }),
      fc.string({ unit: 'binary' }),
      fc.constantFrom('a\u0000b', '\ud800', 'x'.repeat(600), -0, -1, 1e300, 2 ** 53, null),
    );
    const path = fc.array(fc.nat(), { minLength: 1, maxLength: 6 });
    const kindAndShape = fc.tuple(fc.constantFrom(...usedKinds), fc.constantFrom(...shapes));
    fc.assert(
      fc.property(
        kindAndShape,
        fc.array(fc.tuple(path, odd), { maxLength: 4 }),
        ([kind, shape], changes) => {
          const raw = official(shape, names[kind], { id: 'obj_1' });
          for (const [way, value] of changes) putAt(raw, way, value);
          if (raw['id'] !== 'obj_1') return; // readStripeEvent refuses it
          const object = readEventObject(kind, raw)!;
          expect(roundTrip(object)).to.deep.equal(object);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

describe('an answer of Stripe', () => {
  it('of a list has to be the whole list', () => {
    const items = [
      official('new', 'refund', { id: 're_2' }),
      official('new', 'refund', { id: 're_1' }),
    ];
    expect(fetched('refunds', 'ch_1', items)).to.have.nested.property('refunds[0].id', 're_1');
    expect(fetched('refunds', 'ch_1', listOf(...items))).to.include({ chargeId: 'ch_1' });
    const more = { ...listOf(...items), has_more: true };
    expect(readFetched('refunds', 'ch_1', more)).to.include({ outcome: 'refused' });
  });

  it('of more lines than a record takes keeps those that say most', () => {
    const line = (n: number) => official('old', 'line_item', { id: `il_${n}`, amount: n });
    const read = fetched(
      'invoice-lines',
      'in_1',
      Array.from({ length: 1_200 }, (_, n) => line(n)),
    );
    if (read.object !== 'invoice-lines') throw new Error('no lines');
    expect(read.lines).to.have.length(1_000);
    expect(read.lines[0]).to.include({ id: 'il_1199' });
  });

  it('names the invoice of a payment, a paid one first', () => {
    const payment = (invoice: string, status: string) =>
      official('new', 'invoice_payment', { invoice, status });
    const of = (...payments: Json[]) => fetched('payment-invoice', 'pi_1', payments);
    expect(of(payment('in_1', 'canceled'), payment('in_2', 'paid'))).to.include({
      invoiceId: 'in_2',
    });
    expect(of(payment('in_1', 'open'))).to.include({ invoiceId: 'in_1' });
    expect(of()).to.include({ paymentIntentId: 'pi_1', invoiceId: null });
  });

  it('has the charge of a payment intent that was paid, of every version', () => {
    const charge = official('old', 'charge', { id: 'ch_1', created: 7, paid: true });
    const failed = official('old', 'charge', { id: 'ch_0', paid: false });
    const now = { ...official('new', 'payment_intent'), latest_charge: charge };
    const { latest_charge: _, ...old } = official('old', 'payment_intent');
    for (const raw of [now, { ...old, charges: listOf(failed, charge) }]) {
      expect(fetched('payment-intent', 'pi_1', raw)).to.deep.include({
        charge: { id: 'ch_1', createdAt: 7 },
      });
    }
    const unpaid = { ...now, latest_charge: failed };
    expect(fetched('payment-intent', 'pi_1', unpaid)).to.include({ charge: null });
  });

  it('finds the session of a payment intent, or that there is none', () => {
    const session = official('new', 'checkout.session', { id: 'cs_1', payment_intent: 'pi_1' });
    expect(fetched('checkout-session', 'pi_1', [session])).to.include({ id: 'cs_1' });
    expect(fetched('checkout-session', 'pi_1', [])).to.deep.equal({
      ...{ object: 'absent', type: 'checkout-session', id: 'pi_1' },
    });
  });

  it('that is not understood is unreadable or refused, and never thrown', () => {
    const types: FetchedType[] = ['invoice', 'charge', 'checkout-session'];
    for (const type of types) {
      expect(fetched(type, 'obj_1', { id: 'obj_1' })).to.include({ object: 'unreadable', type });
      expect(fetched(type, 'obj_1', 7)).to.include({ object: 'unreadable', id: 'obj_1' });
    }
    for (const type of ['price', 'customer', 'refunds', 'payment-intent'] as const) {
      expect(readFetched(type, 'obj_1', {})).to.include({ outcome: 'refused' });
    }
  });
});

function fetched(type: FetchedType, id: string, raw: unknown): StripeObject {
  const read = readFetched(type, id, raw);
  if (read.outcome !== 'object') throw new Error(read.detail);
  return roundTrip(read.object);
}

/** Through the record's codec, which throws at what does not fit. */
function roundTrip(object: StripeObject): StripeObject {
  const record: ProcessorFetched = {
    ...{ schemaVersion: 1, tenantId: 'acme', connectionId: 'c0ffee1234567890abcdef' },
    ...{ processor: 'stripe', subject: 'cus_1', receivedAt: '2026-11-01T00:00:01.000Z' },
    ...{ taxPolicy: 'gross', type: 'fetched', cause: 'need', object },
  };
  const decoded = processorCodec.decode(Buffer.from(processorCodec.encode(record)));
  if (decoded.outcome !== 'record' || !decoded.value.object) throw new Error('it does not fit');
  return decoded.value.object;
}

function listOf(...data: Json[]): Json {
  return { object: 'list', data, has_more: false, url: '/v1/list' };
}

/** Sets some member, however deep, that the numbers of the way lead to. */
function putAt(target: unknown, [step, ...way]: number[], value: unknown): void {
  if (typeof target !== 'object' || target === null || step === undefined) return;
  const members = Object.keys(target);
  const name = members[step % members.length];
  if (name === undefined) return;
  const record = target as Record<string, unknown>;
  if (way.length > 0 && typeof record[name] === 'object' && record[name] !== null) {
    putAt(record[name], way, value);
  } else {
    record[name] = value;
  }
}

import type { EventRecord } from '@tributary/contracts/event-record';
import type {
  ProcessorReceived,
  StripeAbsent,
  StripeCustomer,
  StripeInvoice,
  StripeUnreadable,
  TaxPolicy,
} from '@tributary/contracts/processor-record';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  createStripeAccount,
  shapes,
  type StripeAccount,
  type StripeShape,
} from '../testing/stripe-world.ts';
import { createReportedAccount, metadataTtlMs } from '../testing/reported-account.ts';
import { itemOf } from './item-of.ts';
import { evaluateItem } from './evaluate-item.ts';
import type { LookUp, Reading } from './model.ts';

const nothingKnown: LookUp = { reading: () => undefined, reported: () => undefined };

describe('an item that is not evaluated by its kind', () => {
  const unreadable: StripeUnreadable = {
    ...{ object: 'unreadable', type: 'invoice', id: 'in_1', customerId: 'cus_1' },
    detail: 'total: a whole number is expected',
  };
  const record: ProcessorReceived = {
    ...{ schemaVersion: 1, tenantId: 'acme', connectionId: 'c0ffee1234567890abcdef' },
    ...{ processor: 'stripe', subject: 'cus_1', receivedAt: '2026-11-01T00:00:01.000Z' },
    ...{ taxPolicy: 'gross', type: 'received', processorEventId: 'evt_1', kind: 'invoice.paid' },
    ...{ livemode: true, createdAt: 1, apiVersion: null, object: unreadable },
  };

  it('is unmatched when it is of the other mode, and nothing is asked about it', () => {
    const item = itemOf({ ...record, ignored: 'other-mode' })!;
    expect(evaluateItem(item, nothingKnown, { metadataTtlMs })).to.deep.equal({
      ...{ state: 'unmatched', reason: 'other-mode', needs: [] },
    });
  });

  it('is asked for by its id when it is unreadable', () => {
    expect(evaluateItem(itemOf(record)!, nothingKnown, { metadataTtlMs })).to.deep.equal({
      ...{ state: 'unmatched', reason: 'unreadable', detail: unreadable.detail },
      needs: [{ type: 'invoice', id: 'in_1' }],
    });
  });

  it('is evaluated as what was read then', () => {
    const invoice: StripeInvoice = {
      ...{ object: 'invoice', id: 'in_1', customerId: 'cus_1', number: null, status: 'paid' },
      ...{ currency: 'eur', amountPaid: 0, total: 0, totalExcludingTax: null, createdAt: 1 },
      ...{ paidAt: null, subscriptionId: null, payments: null, lines: [], moreLines: false },
      prices: [],
    };
    const customer: StripeCustomer = {
      ...{ object: 'customer', id: 'cus_1', deleted: false, ucc: 'c', newUserId: 'u' },
    };
    const readings: Record<string, Reading> = {
      'invoice in_1': {
        object: invoice,
        receivedAt: '2026-11-01T00:01:00.000Z',
      },
      'customer cus_1': { object: customer, receivedAt: '2026-11-01T00:02:00.000Z' },
    };
    const lookUp = {
      ...nothingKnown,
      reading: (type: string, id: string) => readings[`${type} ${id}`],
    };
    const verdict = evaluateItem(itemOf(record)!, lookUp, { metadataTtlMs });
    expect(verdict.state).to.equal('reported');
    expect(verdict).to.have.nested.property('facts[0].receivedAt', '2026-11-01T00:02:00.000Z');
  });

  it('stays unmatched when Stripe does not have it, or it is still unreadable', () => {
    const receivedAt = '2026-11-01T00:01:00.000Z';
    const since = '2026-11-01T00:01:00.001Z';
    const absent: StripeAbsent = { object: 'absent', type: 'invoice', id: 'in_1' };
    for (const [object, reason] of [
      [absent, 'absent'],
      [unreadable, 'unreadable'],
    ] as const) {
      const lookUp = { ...nothingKnown, reading: () => ({ object, receivedAt }) };
      expect(evaluateItem(itemOf(record)!, lookUp, { metadataTtlMs })).to.deep.include({
        ...{ state: 'unmatched', reason },
        needs: [{ type: 'invoice', id: 'in_1', since }],
      });
    }
  });
});

/** What happens in an account, one step a day. */
type Step =
  | { step: 'trial' }
  | { step: 'pay'; amount: number; taxPerMille: number; oneOff: number }
  | { step: 'upgrade'; unitAmount: number; quantity: number }
  | { step: 'checkout'; amount: number; taxPerMille: number }
  | { step: 'refund'; which: number; perMille: number };

const perMille = fc.integer({ min: 0, max: 1_000 });
const amount = fc.integer({ min: 0, max: 1_000_000 });
const aStep: fc.Arbitrary<Step> = fc.oneof(
  fc.constant({ step: 'trial' } as const),
  fc.record({
    step: fc.constant('pay' as const),
    ...{ amount, taxPerMille: perMille, oneOff: fc.integer({ min: -500, max: 5_000 }) },
  }),
  fc.record({
    step: fc.constant('upgrade' as const),
    ...{ unitAmount: amount, quantity: fc.integer({ min: 1, max: 50 }) },
  }),
  fc.record({ step: fc.constant('checkout' as const), amount, taxPerMille: perMille }),
  fc.record({ step: fc.constant('refund' as const), which: fc.nat(9), perMille }),
);

const aLife = fc.record({
  shape: fc.constantFrom<StripeShape>(...shapes),
  taxPolicy: fc.constantFrom<TaxPolicy>('gross', 'net'),
  currency: fc.constantFrom('eur', 'jpy', 'bhd', 'mga', 'ugx'),
  chargesCarryRefunds: fc.boolean(),
  steps: fc.array(aStep, { minLength: 1, maxLength: 10 }),
});

describe('any order and duplication of events', () => {
  it('gives the facts that were made while it happened', () => {
    fc.assert(
      fc.property(aLife, fc.infiniteStream(fc.nat()), (life, luck) => {
        const account = createLivedAccount(life);
        const inOrder = createReportedAccount(account, life);
        for (const step of life.steps) {
          for (const event of account.live(step)) {
            inOrder.report(event);
            inOrder.settle();
          }
        }
        const shuffled = createReportedAccount(account, life);
        const draw = () => luck.next().value as number;
        const { events } = account;
        const queue = [...events, ...events.filter(() => draw() % 3 === 0)];
        while (queue.length > 0) {
          shuffled.report(queue.splice(draw() % queue.length, 1)[0]!);
          if (draw() % 2 === 0) shuffled.settle();
        }
        shuffled.settle();
        expect(withoutArrival(shuffled.facts())).to.deep.equal(withoutArrival(inOrder.facts()));
      }),
      { numRuns: 150 },
    );
  });

  it('never gives back more than was paid, and all of it when all was refunded', () => {
    fc.assert(
      fc.property(aLife, (life) => {
        const account = createLivedAccount(life);
        const reported = createReportedAccount(account, life);
        for (const step of life.steps) account.live(step);
        for (const charge of account.store.charges.values()) account.refundRest(charge.id);
        for (const event of account.events) reported.report(event);
        reported.settle();
        const left = new Map<string, number>();
        for (const fact of reported.facts()) {
          const payment = fact.eventType === 'purchase-created' ? fact.purchase : undefined;
          if (payment) left.set(payment.invoiceId!, payment.amount);
        }
        for (const fact of reported.facts()) {
          if (fact.eventType !== 'purchase-refunded') continue;
          const invoiceId = fact.refund.invoiceId!;
          left.set(invoiceId, left.get(invoiceId)! - fact.refund.amount);
        }
        expect([...left.values()].filter((rest) => rest !== 0)).to.deep.equal([]);
      }),
      { numRuns: 100 },
    );
  });
});

function withoutArrival(facts: readonly EventRecord[]) {
  return facts.map(({ receivedAt: _, ...fact }) => fact);
}

type LivedAccount = StripeAccount & {
  /** The events of a step; none when it cannot be taken. */
  live(step: Step): StripeAccount['events'];
  refundRest(chargeId: string): void;
};

function createLivedAccount(life: {
  currency: string;
  chargesCarryRefunds: boolean;
}): LivedAccount {
  let nowS = Date.UTC(2026, 8, 1) / 1_000;
  const { currency, chargesCarryRefunds } = life;
  const account = createStripeAccount({ now: () => nowS, idPrefix: 'x', chargesCarryRefunds });
  const { id: customerId } = account.customer({ ucc: 'code', newUserId: 'user' });
  const interval = { unit: 'month', count: 1 } as const;
  const price = (unitAmount: number) => account.price({ currency, unitAmount, interval }).id;
  let priceId = price(1_000);
  const { subscription } = account.subscription({ customerId, priceId, trialDays: 7 });
  const of = { customerId, currency, subscriptionId: subscription.id };

  /** Stripe takes whole kronur and shillings only. */
  const whole = (minor: number) => (currency === 'ugx' ? Math.ceil(minor / 100) * 100 : minor);
  const part = (minor: number, thousandths: number) =>
    whole(Math.floor((minor * thousandths) / 1_000));

  function refund(chargeId: string, thousandths: number) {
    const given = account.refundsOf(chargeId).reduce((sum, each) => sum + each.amount, 0);
    const rest = account.charge(chargeId).amount - given;
    const refunded = Math.min(rest, Math.max(part(rest, thousandths), 1));
    if (rest > 0) account.refund({ chargeId, amount: Math.min(rest, whole(refunded)) });
  }

  function take(step: Step) {
    switch (step.step) {
      case 'trial':
        account.paidInvoice({ ...of, lines: [{ amount: 0 }] });
        break;
      case 'pay': {
        const lines = [{ amount: whole(step.amount) }];
        const oneOff = { amount: whole(step.oneOff), recurring: false, priceId: null };
        const tax = { amount: part(step.amount, step.taxPerMille) };
        if (whole(step.amount) + oneOff.amount < 0) return;
        account.paidInvoice({ ...of, lines: [...lines, oneOff], tax });
        break;
      }
      case 'upgrade': {
        const { unitAmount, quantity } = step;
        const unused = { amount: -whole(300), priceId, proration: true };
        priceId = price(whole(unitAmount));
        account.updateSubscription(subscription.id, { priceId, quantity });
        const rest = {
          amount: whole(unitAmount) * quantity + whole(300),
          priceId,
          proration: true,
        };
        account.paidInvoice({ ...of, lines: [unused, { ...rest, quantity }] });
        break;
      }
      case 'checkout': {
        const total = whole(step.amount + 1);
        const once = account.price({ currency, unitAmount: total });
        const lines = [{ amount: total, priceId: once.id }];
        account.checkout({ customerId, currency, lines, tax: part(total, step.taxPerMille) });
        break;
      }
      case 'refund': {
        const charges = [...account.store.charges.keys()];
        if (charges.length > 0) refund(charges[step.which % charges.length]!, step.perMille);
        break;
      }
      default:
        step satisfies never;
    }
  }

  return {
    ...account,
    live(step) {
      nowS += 86_400;
      const before = account.events.length;
      take(step);
      return account.events.slice(before);
    },
    refundRest(chargeId) {
      nowS += 86_400;
      refund(chargeId, 1_000);
    },
  };
}

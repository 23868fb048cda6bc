import type {
  FetchedType,
  StripeCharge,
  StripeObject,
  StripeRefund,
} from '@tributary/contracts/processor-record';
import { expect } from 'chai';
import { at, charge, connectionId, customer, refund } from '../testing/records.ts';
import { itemIdOf } from './item-of.ts';
import { evaluateItem } from './evaluate-item.ts';
import type { Item, Reading } from './model.ts';

describe('a list of refunds that says less than the charge', () => {
  const account = at(10_000);

  function item(changes: Partial<StripeCharge> = {}): Item {
    const object = charge('ch_1', 'cus_1', {
      invoiceId: 'in_1',
      amountRefunded: 1_500,
      ...changes,
    });
    return {
      ...{ itemId: itemIdOf('t1', 'charge', 'ch_1'), tenantId: 't1', connectionId },
      ...{ type: 'charge', objectId: 'ch_1', subject: 'cus_1', object },
      ...{ taxPolicy: 'gross', receivedAt: account },
    };
  }

  function evaluate(refunds: StripeObject, listedAt: string, of = item()) {
    const readings = new Map<string, Reading>([
      ['customer:cus_1', { object: customer('cus_1'), receivedAt: account }],
      ['refunds:ch_1', { object: refunds, receivedAt: listedAt }],
    ]);
    const reading = (type: FetchedType, id: string) => readings.get(`${type}:${id}`);
    return evaluateItem(of, { reading, reported: () => undefined }, { metadataTtlMs: 600_000 });
  }

  const list = (...refunds: StripeRefund[]): StripeObject => ({
    object: 'refunds',
    chargeId: 'ch_1',
    refunds,
  });
  const first = refund('re_1');
  const second = refund('re_2', { amount: 500 });

  /** The clock of who received the event is behind that of who asked before it. */
  it('is not the last word, though it was read after the event by the clocks', () => {
    const verdict = evaluate(list(first), at(10_001));
    expect(verdict).to.deep.include({
      state: 'reported',
      needs: [{ type: 'refunds', id: 'ch_1', since: account }],
    });
    expect('facts' in verdict && verdict.facts).to.have.length(1);
  });

  it('is one when it has all refunds, those that failed since too', () => {
    for (const status of ['succeeded', 'failed', 'canceled', 'pending']) {
      const verdict = evaluate(list(first, { ...second, status }), at(10_001));
      expect(verdict).to.deep.include({ state: 'reported', needs: [] });
    }
  });

  it('leaves the charge waiting while it has none', () => {
    const verdict = evaluate(list(), at(10_001));
    expect(verdict).to.deep.include({ state: 'waiting', reason: 'incomplete' });
  });

  it('is shown when Stripe has no such charge any more', () => {
    const absent: StripeObject = { object: 'absent', type: 'refunds', id: 'ch_1' };
    expect(evaluate(absent, at(10_001))).to.deep.equal({
      state: 'unmatched',
      reason: 'absent',
      needs: [{ type: 'refunds', id: 'ch_1', since: at(10_002) }],
    });
  });
});

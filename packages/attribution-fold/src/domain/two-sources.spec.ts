import type { EventRecord } from '@tributary/contracts/event-record';
import { expect } from 'chai';
import { decisionsOn, given } from '../testing/given.ts';
import { purchase, refund } from '../testing/records.ts';

/**
 * A customer connects its processor and reports the same by the API, under any name of the invoice.
 */
describe('an invoice that API and processor report', () => {
  const userId = 'user';
  const byProcessor = { userId, source: 'processor', invoiceId: 'in_1' } as const;
  const day = (n: number) => ({ occurredAt: `2026-03-0${n}T10:00:00Z` });
  const names = ['in_1', 'N-1', 'pi_1', 'ch_1'];

  const reported = purchase(1, { ...byProcessor, aliases: ['N-1', 'ch_1', 'pi_1'] });
  const given1 = { ...byProcessor, aliases: ['ch_1', 'pi_1'], refundId: 're_1', amount: 1_000 };

  /** Received one after the other. */
  function inTurn(events: readonly EventRecord[]): EventRecord[] {
    return events.map((event, n) => ({ ...event, receivedAt: `2026-03-09T10:00:0${n}.000Z` }));
  }

  function ordersOf(events: readonly EventRecord[]): EventRecord[][] {
    if (events.length < 2) return [[...events]];
    return events.flatMap((first) =>
      ordersOf(events.filter((other) => other !== first)).map((rest) => [first, ...rest]),
    );
  }

  for (const invoiceId of names) {
    it(`earns once, and each refund counts once, when the API names it ${invoiceId}`, () => {
      const events = [
        reported,
        purchase(2, { userId, invoiceId }),
        refund(3, { ...given1, ...day(3) }),
        refund(4, { userId, invoiceId, amount: 1_000, ...day(4) }),
        refund(5, { ...given1, refundId: 're_2', amount: 3_900, ...day(5) }),
      ];
      for (const order of ordersOf(events)) {
        const decisions = decisionsOn(given({ events: inTurn(order) }));
        const earning = decisions.filter(
          ({ outcome, reversals }) => outcome === 'attributed' && reversals !== undefined,
        );
        expect(earning).to.have.length(1);
        const steps = earning[0]!.reversals!.map(({ reversedAmount, full }) => [
          reversedAmount,
          full,
        ]);
        expect(steps).to.deep.equal([
          [1_000, false],
          [4_900, true],
        ]);
        expect(decisions.filter(({ reason }) => reason === 'duplicate')).to.have.length(1);
      }
    });
  }
});

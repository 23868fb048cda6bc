import type { EventRecord } from '@tributary/contracts/event-record';
import { expect } from 'chai';
import { makeWorkload } from './workload.ts';

describe('the workload of the pipeline benchmark', () => {
  const now = new Date('2026-03-01T00:00:00.000Z');
  const { events, codes } = makeWorkload(20_000, now);
  const share = (of: (event: EventRecord) => boolean) => events.filter(of).length / events.length;

  it('is the same in every run', () => {
    expect(makeWorkload(20_000, now).events).to.deep.equal(events);
    expect(events).to.have.length(20_000);
  });

  it('has 10 % refunds, each of a purchase that is there', () => {
    expect(share(({ eventType }) => eventType === 'purchase-refunded')).to.be.closeTo(0.1, 0.01);
    const invoices = new Set(
      events.flatMap((event) => (event.eventType === 'purchase-created' ? [nameOf(event)] : [])),
    );
    const refunds = events.filter(({ eventType }) => eventType === 'purchase-refunded');
    expect(refunds.filter((refund) => !invoices.has(nameOf(refund)))).to.deep.equal([]);
  });

  it('has 5 % repeats: purchases reported again, and records that are there twice', () => {
    const ids = new Set(events.map(({ eventId }) => eventId));
    const purchases = events.filter(({ eventType }) => eventType === 'purchase-created');
    const repeats = purchases.length - new Set(purchases.map(nameOf)).size;
    expect(repeats / events.length).to.be.closeTo(0.05, 0.01);
    expect((events.length - ids.size) / events.length).to.be.closeTo(0.01, 0.004);
  });

  it('has as many referrers as asked for, each with referrals', () => {
    const few = makeWorkload(20_000, now, { referrers: 300 });
    expect(few.codes).to.have.length(300);
    const uccs = new Set(few.events.map(({ ucc }) => ucc));
    expect(few.codes.filter(({ ucc }) => !uccs.has(ucc))).to.deep.equal([]);
    expect(codes).to.have.length(200);
  });
});

function nameOf(event: EventRecord): string | undefined {
  if (event.eventType === 'purchase-created') return event.purchase.invoiceId;
  return event.eventType === 'purchase-refunded' ? event.refund.invoiceId : undefined;
}

import { expect } from 'chai';
import { decisionOn, decisionsOn, endsOf, given, testsOf } from '../testing/given.ts';
import { code, eventIdOf, purchase, refund, revision } from '../testing/records.ts';

const inv = { invoiceId: 'inv' };
const day = (n: number) => ({ occurredAt: `2026-03-0${n}T10:00:00Z` });

describe('a refund (design 7, "Refunds")', () => {
  it('waits, with its money, while its purchase has not come', () => {
    const decision = decisionOn(given({ events: [refund(1, { ...inv, amount: 100 })] }));
    expect(decision).to.deep.include({
      outcome: 'waiting',
      reason: 'refund-without-purchase',
      refund: { invoiceId: 'inv', amount: 100, currency: 'EUR' },
    });
    expect(testsOf(decision)).to.deep.equal(['+ not a duplicate', '- purchase to reverse']);
    expect(decision).not.to.have.any.keys('purchase', 'referrerId', 'refundOf', 'waitsUntil');
  });

  it('follows its purchase, whatever its own user and code say, and is flagged for them', () => {
    const events = [
      purchase(1, { ...inv, userId: 'u' }),
      refund(2, { ...inv, userId: 'v', ucc: 'other', amount: 100 }),
    ];
    const decision = decisionOn(given({ events }), 2);
    expect(decision).to.deep.include({
      outcome: 'attributed',
      refundOf: eventIdOf(1),
      campaignId: 'c1',
      campaignRevision: 1,
      referrerId: 'anna',
      flags: ['ucc-differs', 'user-differs'],
    });
    expect(testsOf(decision)).to.deep.equal([
      '+ not a duplicate',
      '+ purchase to reverse',
      '+ purchase attributed',
    ]);
  });

  it('follows a purchase that is not attributed', () => {
    const events = [purchase(1, inv), refund(2, inv)];
    const disabled = code({ type: 'code-disabled', version: 2 });
    const worlds = {
      'unknown-code': given({ events, codes: [] }),
      'code-disabled': given({ events, codes: [code(), disabled] }),
      'campaign-not-running': given({ events, revisions: [revision({ status: 'stopped' })] }),
    };
    for (const [reason, world] of Object.entries(worlds)) {
      expect(endsOf(world)).to.deep.equal([reason, reason]);
      expect(decisionOn(world, 2).refundOf).to.equal(eventIdOf(1));
    }
    expect(decisionOn(worlds['unknown-code'], 2)).to.include({ outcome: 'waiting' });
  });

  it('without a code, as the legacy endpoint takes it, differs from nothing', () => {
    const events = [
      purchase(1, { ...inv, userId: 'u' }),
      refund(2, { ...inv, userId: 'u', ucc: '' }),
    ];
    expect(decisionOn(given({ events }), 2).flags).to.deep.equal([]);
  });

  it('in another currency waits, flagged, and reverses nothing', () => {
    const events = [purchase(1, inv), refund(2, { ...inv, currency: 'USD' })];
    const world = given({ events });
    expect(decisionOn(world, 2)).to.include({ outcome: 'waiting' });
    expect(decisionOn(world, 2).flags).to.deep.equal(['currency-mismatch']);
    expect(decisionOn(world, 1)).not.to.have.property('reversals');
  });

  it('takes the purchase back in steps, in canonical order', () => {
    const events = [
      purchase(1, { ...inv, amount: 4900 }),
      refund(3, { ...inv, amount: 900, ...day(5) }),
      refund(2, { ...inv, amount: 4000, ...day(4) }),
    ];
    const { reversals } = decisionOn(given({ events }));
    expect(
      reversals?.map(({ eventId, reversedAmount, full }) => [eventId, reversedAmount, full]),
    ).to.deep.equal([
      [eventIdOf(2), 4000, false],
      [eventIdOf(3), 4900, true],
    ]);
  });

  it('beyond the purchase is flagged and takes back no more than was paid', () => {
    const events = [
      purchase(1, { ...inv, userId: 'u', amount: 1000 }),
      refund(2, { ...inv, userId: 'u', amount: 700, ...day(2) }),
      refund(3, { ...inv, userId: 'u', amount: 700, ...day(3) }),
      refund(4, { ...inv, userId: 'u', amount: 1, ...day(4) }),
    ];
    const decisions = decisionsOn(given({ events }));
    expect(decisions[0]?.reversals?.map((r) => r.reversedAmount)).to.deep.equal([700, 1000]);
    expect(decisions.map(({ flags }) => flags)).to.deep.equal([
      [],
      [],
      ['refund-exceeds-purchase'],
      ['refund-exceeds-purchase'],
    ]);
  });

  it('that API and processor both report counts once: the larger sum of the two', () => {
    const processor = { source: 'processor' as const };
    const events = [
      purchase(1, { ...inv, amount: 4900 }),
      refund(2, { ...inv, amount: 1000, ...day(2) }),
      refund(3, { ...inv, ...processor, refundId: 're_1', amount: 1000, ...day(3) }),
      refund(4, { ...inv, ...processor, refundId: 're_2', amount: 500, ...day(4) }),
      refund(5, { ...inv, source: 'legacy', amount: 2000, ...day(5) }),
    ];
    const steps = decisionOn(given({ events })).reversals;
    expect(steps?.map(({ eventId, reversedAmount }) => [eventId, reversedAmount])).to.deep.equal([
      [eventIdOf(2), 1000],
      [eventIdOf(4), 1500],
      [eventIdOf(5), 3000],
    ]);
  });

  it('is distinguished from its repetition by the id of the processor', () => {
    const one = { ...inv, source: 'processor' as const, refundId: 're_1', amount: 100 };
    const events = [
      purchase(1, inv),
      refund(2, { ...one, ...day(2) }),
      refund(3, { ...one, ...day(3) }),
      refund(4, { ...one, refundId: 're_2' }),
    ];
    const world = given({ events });
    expect(endsOf(world)).to.deep.equal(['attributed', 'attributed', 'duplicate', 'attributed']);
    expect(decisionOn(world).reversals?.at(-1)?.reversedAmount).to.equal(200);
  });

  it('is known again by that id under another name of the invoice', () => {
    const processor = { source: 'processor' as const, refundId: 're_1', amount: 100 };
    const events = [
      purchase(1, { ...inv, aliases: ['charge'], source: 'processor' }),
      refund(2, { ...inv, ...processor, ...day(2) }),
      refund(3, { ...processor, invoiceId: 'charge', ...day(3) }),
    ];
    const world = given({ events });
    expect(endsOf(world)).to.deep.equal(['attributed', 'attributed', 'duplicate']);
    expect(decisionOn(world, 3).duplicateOf).to.equal(eventIdOf(2));
    expect(decisionOn(world).reversals?.at(-1)?.reversedAmount).to.equal(100);
  });

  it('of a purchase of nothing takes it back in full', () => {
    const events = [purchase(1, { ...inv, amount: 0 }), refund(2, { ...inv, amount: 0 })];
    const [step] = decisionOn(given({ events })).reversals ?? [];
    expect(step).to.include({ reversedAmount: 0, full: true });
  });

  it('of nothing takes nothing back', () => {
    const events = [purchase(1, inv), refund(2, { ...inv, amount: 0 })];
    expect(decisionOn(given({ events }))).not.to.have.property('reversals');
  });

  it('counts exactly where sums leave the safe integers', () => {
    const amount = Number.MAX_SAFE_INTEGER;
    const events = [
      purchase(1, { ...inv, amount }),
      refund(2, { ...inv, amount: amount - 1, ...day(2) }),
      refund(3, { ...inv, amount, ...day(3) }),
    ];
    const world = given({ events });
    expect(decisionOn(world).reversals?.map((r) => r.reversedAmount)).to.deep.equal([
      amount - 1,
      amount,
    ]);
  });

  it('of very many leaves a decision that a record of the log holds, with the whole amount', () => {
    const refunds = Array.from({ length: 3_000 }, (_, i) =>
      refund(i + 2, { ...inv, amount: 1, occurredAt: `2026-03-01T10:00:00.${i + 1_000}Z` }),
    );
    const events = [purchase(1, { ...inv, amount: 3_000 }), ...refunds];
    const decision = decisionOn(given({ events }));
    expect(JSON.stringify(decision).length).to.be.lessThan(500_000);
    expect(decision.reversals?.at(-1)).to.include({ reversedAmount: 3_000, full: true });
  });

  it('of some with very many digits of a second does so too', () => {
    const refunds = Array.from({ length: 20 }, (_, i) =>
      refund(i + 2, {
        ...inv,
        amount: 10,
        occurredAt: `2026-03-01T10:00:00.${'7'.repeat(60_000)}${i + 11}Z`,
      }),
    );
    const events = [purchase(1, { ...inv, amount: 200 }), ...refunds];
    const decision = decisionOn(given({ events }));
    expect(JSON.stringify(decision).length).to.be.lessThan(500_000);
    expect(decision.reversals?.map((r) => r.reversedAmount)).to.deep.equal([10, 200]);
  });
});

describe('names of one invoice (design 7, "Business keys")', () => {
  const processor = { source: 'processor' as const };

  it('make facts duplicates that share any of them, also through a third', () => {
    const events = [
      purchase(1, { invoiceId: 'A', ...day(3) }),
      purchase(2, { invoiceId: 'B', source: 'legacy' }),
      purchase(3, { invoiceId: 'C', aliases: ['pi_1', 'A'], ...processor }),
      purchase(4, { invoiceId: 'pi_1', aliases: ['B'], ...processor }),
    ];
    const world = given({ events });
    expect(endsOf(world)).to.deep.equal(['attributed', 'duplicate', 'duplicate', 'duplicate']);
    expect(decisionsOn(world).map((d) => d.duplicateOf)).to.deep.equal([
      undefined,
      eventIdOf(1),
      eventIdOf(1),
      eventIdOf(1),
    ]);
  });

  it('match a refund with its purchase', () => {
    const events = [
      purchase(1, { invoiceId: 'in_1', aliases: ['ch_1'], ...processor }),
      refund(2, { invoiceId: 'ch_1', amount: 100, ...processor }),
      refund(3, { invoiceId: 're', aliases: ['in_1'], amount: 200, ...processor, ...day(2) }),
    ];
    const world = given({ events });
    expect(decisionsOn(world).map((d) => d.refundOf)).to.deep.equal([
      undefined,
      eventIdOf(1),
      eventIdOf(1),
    ]);
    expect(decisionOn(world).reversals?.at(-1)?.reversedAmount).to.equal(300);
  });

  it('are joined by a refund that knows both', () => {
    const events = [
      purchase(1, { invoiceId: 'A' }),
      purchase(2, { invoiceId: 'in_1', ...processor }),
      refund(3, { invoiceId: 'in_1', aliases: ['A'], ...processor }),
    ];
    expect(endsOf(given({ events }))).to.deep.equal(['attributed', 'duplicate', 'attributed']);
  });

  it("of another tenant's invoice are other names", () => {
    const events = [
      purchase(1, { invoiceId: 'A' }),
      purchase(2, { tenantId: 't2', invoiceId: 'in_1', aliases: ['A'], ...processor }),
    ];
    const codes = [code(), code({ tenantId: 't2' })];
    const revisions = [revision(), revision({ tenantId: 't2' })];
    expect(endsOf(given({ events, codes, revisions }))).to.deep.equal(['attributed', 'attributed']);
  });
});

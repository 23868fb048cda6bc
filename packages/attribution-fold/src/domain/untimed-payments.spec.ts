import { expect } from 'chai';
import fc from 'fast-check';
import { decisionOn, decisionsOn, endsOf, given } from '../testing/given.ts';
import { eventIdOf, purchase, refund, tenant } from '../testing/records.ts';
import { toDatedMode } from './attribution-mode.ts';
import { type Fact, toFact } from './fact.ts';
import { type UntimedPayments, withUntimed } from './untimed-payments.ts';

const hour = 3_600_000;
const begin = Date.parse('2026-03-01T10:00:00.000Z');
const at = (hours: number) => new Date(begin + hours * hour).toISOString();

/**
 * As the legacy endpoint stores a payment of 49 EUR that came with neither an invoice nor a time.
 */
const untimed = (receivedAt: string) => ({
  ...{ userId: 'u', source: 'legacy' as const, invoiceId: null },
  ...{ occurredAt: receivedAt, occurredAtRaw: '', receivedAt },
});
const payments = (...hours: number[]) => hours.map((h, i) => purchase(i + 1, untimed(at(h))));

describe('legacy payments without invoice id and timestamp (decision 17)', () => {
  it('repeat the first within 24 hours of it, to the millisecond, and not of each other', () => {
    const events = payments(0, 20, 24, 24 + 1 / 3_600_000, 48);
    expect(endsOf(given({ events }))).to.deep.equal([
      ...['attributed', 'duplicate', 'duplicate'],
      ...['attributed', 'duplicate'],
    ]);
    const decisions = decisionsOn(given({ events }));
    expect(decisions[2]?.duplicateOf).to.equal(eventIdOf(1));
    expect(decisions[4]?.duplicateOf).to.equal(eventIdOf(4));
  });

  it('are one for ever by the first version of the rules', () => {
    const world = given({ events: payments(0, 720, 1_440), foldVersion: 1 });
    expect(endsOf(world)).to.deep.equal(['attributed', 'duplicate', 'duplicate']);
  });

  it('have a business key each: the first that of all, the next numbered', () => {
    const [first, , second] = decisionsOn(given({ events: payments(0, 1, 720) }));
    const key = JSON.parse(first!.businessKey) as unknown[];
    expect(key).to.have.length(3);
    expect(JSON.parse(second!.businessKey)).to.deep.equal([...key, 2]);
    const [old] = decisionsOn(given({ events: payments(0), foldVersion: 1 }));
    expect(old!.businessKey).to.equal(first!.businessKey);
  });

  it('are numbered by their receipt, whatever comes in later', () => {
    const late = [...payments(30, 0), purchase(3, untimed(at(10)))];
    expect(endsOf(given({ events: late.slice(0, 1) }))).to.deep.equal(['attributed']);
    expect(endsOf(given({ events: late }))).to.deep.equal([
      'attributed',
      'attributed',
      'duplicate',
    ]);
    expect(decisionOn(given({ events: late }), 3).duplicateOf).to.equal(eventIdOf(2));
  });

  it('say what each was taken for', () => {
    const sentences = decisionsOn(given({ events: payments(0, 1, 720) })).map(
      ({ tests }) => tests.find(({ test }) => test === 'not a duplicate')?.detail,
    );
    const equal = 'equal payment without invoice id and timestamp';
    expect(sentences).to.deep.equal([
      `no ${equal} came before it, so it is taken as a new payment`,
      `event ${eventIdOf(1)}, an ${equal}, came at ${at(0)}; this one, within 24 hours of it, ` +
        'is taken as a repeat of it',
      `the last payment that is equal, event ${eventIdOf(1)}, came at ${at(0)}; this one, not ` +
        'within 24 hours of it, is taken as a new payment',
    ]);
  });

  it('follow what the tenant has set when they are received', () => {
    const tenants = [
      tenant({ legacyRepeatHours: 1 }),
      tenant({ version: 2, legacyRepeatHours: 100, publishedAt: at(10) }),
    ];
    const ends = (...hours: number[]) => endsOf(given({ events: payments(...hours), tenants }));
    expect(ends(0, 1, 2)).to.deep.equal(['attributed', 'duplicate', 'attributed']);
    expect(ends(0, 9, 50)).to.deep.equal(['attributed', 'attributed', 'duplicate']);
  });

  it('are left alone by what carries an invoice or a time', () => {
    const timed = { userId: 'u', source: 'legacy' as const, invoiceId: null };
    const raw = { ...timed, occurredAt: at(0), occurredAtRaw: '2026-03-01 10:00' };
    const events = [
      purchase(1, { ...raw, receivedAt: at(0) }),
      purchase(2, { ...raw, receivedAt: at(720) }),
      purchase(3, { ...untimed(at(720)), invoiceId: 'inv' }),
      purchase(4, { ...untimed(at(1_440)), invoiceId: 'inv' }),
    ];
    expect(endsOf(given({ events }))).to.deep.equal([
      ...['attributed', 'duplicate', 'attributed', 'duplicate'],
    ]);
  });

  it('of refunds are distinguished in the same way, and wait: none says what it takes back', () => {
    const events = [0, 5, 720].map((h, i) => refund(i + 1, untimed(at(h))));
    expect(endsOf(given({ events }))).to.deep.equal([
      ...['refund-without-purchase', 'duplicate', 'refund-without-purchase'],
    ]);
  });
});

describe('payments of a user, over any receipts', () => {
  const receipts = fc.array(fc.integer({ min: 0, max: 200 }), { minLength: 1, maxLength: 25 });
  const settings = fc.array(
    fc.record({ from: fc.integer({ min: 0, max: 200 }), hours: fc.constantFrom(1, 24, 72) }),
    { maxLength: 3 },
  );
  const worlds = fc.record({ receipts, settings }).map((world) => ({
    facts: world.receipts.map((h, i) => toFact(purchase(i + 1, untimed(at(h))))),
    modes: world.settings
      .toSorted((a, b) => a.from - b.from)
      .map(({ from, hours: legacyRepeatHours }, i) =>
        toDatedMode(tenant({ version: i + 1, legacyRepeatHours, publishedAt: at(from) })),
      ),
  }));
  type FoldOptions = Parameters<typeof withUntimed>[2];
  const beginningsOf = (untimed: UntimedPayments | undefined) =>
    Object.values(untimed ?? {}).flatMap((series) => series.payments.map((p) => p.eventId));

  it('are the same added one by one in any order, looked at anew where that is called for', () => {
    fc.assert(
      fc.property(worlds, fc.array(fc.nat()), ({ facts, modes }, order) => {
        const options: FoldOptions = { foldVersion: 2, modes };
        const arriving = facts
          .map((fact, i) => [order[i % (order.length || 1)] ?? 0, fact] as const)
          .sort(([a], [b]) => a - b)
          .map(([, fact]) => fact);
        let known: UntimedPayments | undefined;
        const here: Fact[] = [];
        for (const fact of arriving) {
          here.push(fact);
          const { untimed: next, moved } = withUntimed(known, [fact], options);
          const whole = withUntimed(undefined, here, options).untimed;
          if (!moved) expect(next).to.deep.equal(whole);
          known = whole;
        }
      }),
    );
  });

  it('never become fewer by one more', () => {
    fc.assert(
      fc.property(worlds, ({ facts, modes }) => {
        const options: FoldOptions = { foldVersion: 2, modes };
        const [late, ...others] = facts;
        const before = beginningsOf(withUntimed(undefined, others, options).untimed).length;
        const after = beginningsOf(
          withUntimed(undefined, [late!, ...others], options).untimed,
        ).length;
        expect(after - before).to.be.oneOf([0, 1]);
      }),
      { numRuns: 1_000 },
    );
  });
});

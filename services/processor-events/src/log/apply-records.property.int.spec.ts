import type { ProcessorRecord } from '@tributary/contracts/processor-record';
import { expect } from 'chai';
import fc from 'fast-check';
import { createProcessorDatabase, type ProcessorDatabase } from '../testing/database.ts';
import {
  at,
  charge,
  customer,
  fetched,
  invoice,
  monthlyPrice,
  received,
  refund,
  session,
} from '../testing/records.ts';
import { readFolded, takeFacts } from '../testing/tables.ts';

/**
 * The tables are a function of the order of each subject's records: however they are batched,
 * whatever records of others are between them, and whoever else applies at the same time.
 */
describe('what is folded of the topic processor', () => {
  let database: ProcessorDatabase;
  let failAtNext = false;

  before(async () => {
    database = await createProcessorDatabase({
      observe() {
        const fails = failAtNext;
        failAtNext = false;
        if (fails) throw new Error('killed before the commit');
      },
    });
  });
  after(() => database.drop());

  const tables = 'subject, seen, reading, item, fact, need, outbox';

  async function fold(batches: readonly ProcessorRecord[][], fails: readonly boolean[] = []) {
    await database.pool.query(`truncate ${tables}`);
    for (const [n, batch] of batches.entries()) {
      failAtNext = fails[n % Math.max(1, fails.length)] ?? false;
      await database.apply(...batch).catch(() => database.apply(...batch));
    }
    return {
      ...(await readFolded(database.pool)),
      outbox: sorted(await takeFacts(database.pool)),
    };
  }

  it('is the same in any batches, and when batches fail and come again', async () => {
    await fc.assert(
      fc.asyncProperty(anyStory, anyCuts, anyFails, async (drafts, cuts, fails) => {
        const records = toRecords(drafts);
        const oneByOne = await fold(records.map((record) => [record]));
        expect(await fold(cut(records, cuts), fails)).to.deep.equal(oneByOne);
        expect(await fold([records])).to.deep.equal(oneByOne);
      }),
      { numRuns: 25 },
    );
  });

  it('is the same whatever records of other subjects come in between', async () => {
    await fc.assert(
      fc.asyncProperty(anyStory, async (drafts) => {
        const records = toRecords(drafts);
        const bySubject = [...records].sort((a, b) => (a.subject < b.subject ? -1 : 1));
        // Stable: the order within a subject is kept.
        expect(await fold([bySubject])).to.deep.equal(await fold([records]));
      }),
      { numRuns: 15 },
    );
  });

  it('loses nothing when several apply records of the same subjects at once, and none waits for ever', async () => {
    const records = Array.from({ length: 120 }, (_, n) => {
      const cus = `cus_${n % 6}`;
      return received(`evt_${n}`, invoice(`in_${n}`, cus), { receivedAt: at(n) });
    });
    const answers = Array.from({ length: 6 }, (_, n) => [
      fetched(`cus_${n}`, customer(`cus_${n}`), at(200)),
      fetched(`cus_${n}`, monthlyPrice, at(200)),
    ]).flat();
    await database.pool.query(`truncate ${tables}`);
    const batches = cut([...records, ...answers], [7, 3, 11]);
    await Promise.all(batches.map((batch) => database.apply(...batch)));
    const { rows } = await database.pool.query('select state, count(*)::int from item group by 1');
    expect(rows).to.deep.equal([{ state: 'reported', count: 120 }]);
    const facts = await takeFacts(database.pool);
    expect(new Set(facts.map((fact) => fact.eventId)).size).to.equal(120);
    expect(facts).to.have.length(120);
    const needs = await database.pool.query('select from need');
    expect(needs.rowCount).to.equal(0);
  });
});

type Draft = { what: (typeof kinds)[number]; which: number; who: number; n: number; rich: boolean };

const kinds = [
  'invoice',
  'invoice-again',
  'session',
  'charge',
  'charge-later',
  'subscription',
  'customer',
  'price',
  'refunds',
  'intent',
  'lines',
  'other',
] as const;

const anyStory = fc.array(
  fc.record({
    what: fc.constantFrom(...kinds),
    which: fc.nat(2),
    who: fc.nat(1),
    n: fc.nat(30),
    rich: fc.boolean(),
  }),
  { minLength: 1, maxLength: 40 },
);
const anyCuts = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 6 });
const anyFails = fc.array(fc.boolean(), { minLength: 1, maxLength: 6 });

function toRecords(drafts: readonly Draft[]): ProcessorRecord[] {
  return drafts.map((draft, place) => toRecord(draft, at(place * 40_000)));
}

/** About two customers with three objects of each kind; some events come again under their id. */
function toRecord({ what, which, who, n, rich }: Draft, receivedAt: string): ProcessorRecord {
  const cus = `cus_${who}`;
  const name = `${who}_${which}`;
  const event = (object: Parameters<typeof received>[1], changes = {}) =>
    received(`evt_${what}_${n}_${name}`, object, { receivedAt, ...changes });
  const answer = (object: Parameters<typeof fetched>[1]) => fetched(cus, object, receivedAt);
  const ownInvoice = invoice(`in_${name}`, cus, rich ? { prices: [monthlyPrice] } : {});
  const given = charge(`ch_${name}`, cus, { invoiceId: `in_${name}` });
  switch (what) {
    case 'invoice':
    case 'invoice-again':
      return event(ownInvoice);
    case 'session':
      return event(session(`cs_${name}`, cus, rich ? { paymentStatus: 'paid' } : {}));
    case 'charge':
      return event(rich ? { ...given, refunds: [refund(`re_${name}`)] } : given);
    case 'charge-later':
      return event({ ...given, amountRefunded: 2_000 });
    case 'subscription':
      return event({
        object: 'subscription',
        id: 'sub_1',
        customerId: cus,
        prices: rich ? [monthlyPrice] : [],
      });
    case 'customer':
      return answer(customer(cus, rich ? { ucc: `CODE${which}` } : { ucc: null }));
    case 'price':
      return answer(monthlyPrice);
    case 'refunds': {
      const refunds = [refund(`re_${name}`), ...(rich ? [refund(`re_${name}_b`)] : [])];
      return answer({ object: 'refunds', chargeId: `ch_${name}`, refunds });
    }
    case 'intent':
      return answer({ object: 'payment-intent', id: `pi_cs_${name}`, charge: null });
    case 'lines':
      return answer({ object: 'session-lines', ownerId: `cs_${name}`, lines: [], prices: [] });
    case 'other':
      return event(undefined, { ignored: 'kind-not-used', kind: 'payout.paid' });
    default:
      return what satisfies never;
  }
}

/** In pieces of these lengths, again and again. */
function cut<T>(all: readonly T[], lengths: readonly number[]): T[][] {
  const pieces: T[][] = [];
  for (let from = 0, n = 0; from < all.length; n += 1) {
    const length = lengths[n % lengths.length]!;
    pieces.push(all.slice(from, from + length));
    from += length;
  }
  return pieces;
}

function sorted(facts: readonly { eventId: string }[]): unknown[] {
  return [...facts].sort((a, b) => (a.eventId < b.eventId ? -1 : 1));
}

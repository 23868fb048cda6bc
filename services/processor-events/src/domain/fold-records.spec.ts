import type { ProcessorRecord } from '@tributary/contracts/processor-record';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  at,
  charge,
  customer,
  fetched,
  invoice,
  monthlyPrice,
  received,
  refund,
} from '../testing/records.ts';
import type { Dialogue, Missing, Stored } from './fold-dialogue.ts';
import { foldRecords } from './fold-records.ts';
import { emptySubject, type Subject } from './fold-subject.ts';

const paid = received('evt_1', invoice('in_1', 'cus_1'));
const answered = fetched('cus_1', customer('cus_1'), at(1_000));
const priced = fetched('cus_1', monthlyPrice, at(1_100));
const refunded = received('evt_2', charge('ch_in_1', 'cus_1', { paymentIntentId: 'pi_in_1' }), {
  kind: 'charge.refunded',
});
const listed = fetched(
  'cus_1',
  {
    object: 'refunds',
    chargeId: 'ch_in_1',
    refunds: [refund('re_1'), refund('re_2')],
  },
  at(2_000),
);
const options = { metadataTtlMs: 60_000 };

describe('foldRecords', () => {
  it('asks for what is stored and not in memory, and folds by the answer', () => {
    const known = stored([answered, priced]);
    const { result, asked } = run(foldRecords(subjectOf({ fresh: false }), [paid], options), known);
    expect(asked.flatMap(({ readingKeys }) => readingKeys)).to.deep.equal([
      'invoice:in_1',
      'customer:cus_1',
      'price:price_1',
    ]);
    expect(result.added.facts.map(({ eventType }) => eventType)).to.deep.equal([
      'purchase-created',
    ]);
  });

  it('asks for nothing of a subject of which nothing is stored', () => {
    const { result, asked } = run(foldRecords(subjectOf(), [paid], options), nothing);
    expect(asked).to.deep.equal([]);
    expect([...result.items.values()].map(({ state }) => state)).to.deep.equal(['waiting']);
  });

  it('leaves the subject that it is given as it was', () => {
    const known = run(foldRecords(subjectOf(), [paid, answered], options), nothing).result;
    const before = structuredClone(known);
    run(foldRecords(known, [priced, refunded, listed], options), nothing);
    expect(known).to.deep.equal(before);
  });

  it('comes to the same in one fold as in several, whatever is in memory', () => {
    const records = [paid, answered, priced, refunded, listed];
    fc.assert(
      fc.property(
        fc.shuffledSubarray(records, { minLength: records.length }),
        fc.nat(records.length),
        (order, cut) => {
          const whole = run(foldRecords(subjectOf(), order, options), nothing).result;
          const first = run(foldRecords(subjectOf(), order.slice(0, cut), options), nothing).result;
          const { readings, purchases } = first;
          // As it is read back: its items at once, its readings and purchases when asked for.
          const readBack = { ...first, fresh: false, readings: new Map(), purchases: new Map() };
          const second = run(foldRecords(readBack, order.slice(cut), options), {
            readings,
            purchases,
          }).result;
          expect(second.items).to.deep.equal(whole.items);
          expect([...first.added.facts, ...second.added.facts]).to.deep.equal(whole.added.facts);
        },
      ),
    );
  });

  it('keeps an item that cannot be evaluated, and says so', () => {
    const dialogue = foldRecords(subjectOf({ fresh: false }), [paid], options);
    // Never what it asks for: it gives up after some rounds.
    const { result } = run(dialogue, nothing, () => nothing);
    const [kept] = result.items.values();
    expect(kept).to.include({ state: 'unmatched', reason: 'internal' });
    expect(result.added.faults.map(({ itemId }) => itemId)).to.deep.equal([kept?.item.itemId]);
  });
});

const nothing: Stored = { readings: new Map(), purchases: new Map() };

function subjectOf({ fresh = true } = {}): Subject {
  const names = { subjectId: '1', tenantId: 't1', subject: 'cus_1' };
  return emptySubject({ ...names, fresh, lastEventAt: '', lastConnectionId: '' });
}

/** What the readings of these records leave behind. */
function stored(records: readonly ProcessorRecord[]): Stored {
  return run(foldRecords(subjectOf(), records, options), nothing).result;
}

function run<Result>(
  dialogue: Dialogue<Result>,
  known: Stored,
  answerTo = (missing: Missing) => answerOf(known, missing),
): { result: Result; asked: Missing[] } {
  const asked: Missing[] = [];
  let turn = dialogue.next();
  while (!turn.done) {
    asked.push(turn.value);
    turn = dialogue.next(answerTo(turn.value));
  }
  return { result: turn.value, asked };
}

function answerOf(known: Stored, { readingKeys, invoiceIds }: Missing): Stored {
  return {
    readings: new Map(readingKeys.map((key) => [key, known.readings.get(key) ?? null])),
    purchases: new Map(invoiceIds.map((id) => [id, known.purchases.get(id) ?? null])),
  };
}

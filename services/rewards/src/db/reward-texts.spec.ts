import type { CalculationStep } from '@tributary/contracts/reward-record';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  type NamingColumns,
  type StoredTexts,
  textsFromRow,
  textsToColumn,
} from './reward-texts.ts';

/** With names and phrases in it, parts of them, and what stands for them once it is shortened. */
const text = fc.oneof(
  fc.string(),
  fc
    .array(
      fc.oneof(
        fc.constantFrom('User "', '" paid ', ' credits', 'Limit: ', '.', 'at most ', 'us', 'er_1'),
        fc.constantFrom(...['user_1', '2026-03-01T00:00:00Z', 'anna', 'spring', 'rule']),
        fc.string({ maxLength: 3 }),
      ),
    )
    .map((parts) => parts.join('')),
  fc.string({ unit: fc.constantFrom('\u0080', '\u0081', '\u0083', '\u009b', 'a', 'é', '"', '\n') }),
);
const step: fc.Arbitrary<CalculationStep> = fc.oneof(
  fc.record({
    step: fc.constantFrom('effect' as const, 'limit' as const, 'withdrawal' as const),
    detail: text,
    credits: fc.constantFrom('0', '2.5'),
  }),
  fc.record({
    step: fc.constant('refund' as const),
    detail: text,
    credits: fc.constant('1'),
    eventId: fc.uuid(),
  }),
);
const texts = fc
  .record({
    introduction: fc.array(text, { maxLength: 3 }),
    tests: fc.array(
      fc.record({ test: text, passed: fc.boolean(), detail: text }, { noNullPrototype: true }),
      { maxLength: 3 },
    ),
    calculation: fc.array(step, { maxLength: 3 }),
  })
  .map(({ introduction, tests, calculation }) => ({
    explanation: [...introduction, ...calculation.map(({ detail }) => detail)],
    tests,
    calculation,
  }));

const row: NamingColumns = {
  ...{ new_user_id: 'user_1', occurred_at: '2026-03-01T00:00:00Z', recipient_id: 'anna' },
  ...{ campaign_id: 'spring', rule_id: 'rule' },
};
const names = Object.values(row) as string[];

function stored(column: unknown, of = row): StoredTexts {
  const read = JSON.parse(JSON.stringify(column)) as StoredTexts['texts'];
  return { ...of, texts: read, tests: null, calculation: null };
}

const name = fc.oneof(fc.constantFrom(...names, 'a', 'at', '\u0085'), fc.constant(null));
const rows = fc.record({
  ...{ new_user_id: name, occurred_at: name, rule_id: name },
  ...{ recipient_id: name.map(String), campaign_id: name.map(String) },
});

describe('the texts of a reward as they are stored', () => {
  it('are read as they were written, to the byte', () => {
    fc.assert(
      fc.property(texts, rows, (all, own) => {
        const read = textsFromRow(stored(textsToColumn(all, own), own));
        expect(read).to.deep.equal(JSON.parse(JSON.stringify(all)));
        for (const list of ['tests', 'calculation'] as const) {
          const sorted = all[list].map((one) =>
            'test' in one
              ? { test: one.test, passed: one.passed, detail: one.detail }
              : { step: one.step, detail: one.detail, credits: one.credits, eventId: one.eventId },
          );
          expect(JSON.stringify(read[list])).to.equal(JSON.stringify(sorted));
        }
      }),
    );
  });

  it('have each sentence once, and no name that the row has', () => {
    const room = 'at most 500 credits in May 2026; there is room for this';
    const detail =
      'Rule "rule" gives the referrer 4.9 credits: 10 % of what was paid, at 1 for 1 EUR.';
    const calculation = [
      { step: 'effect' as const, detail, credits: '4.9' },
      { step: 'limit' as const, detail: `Limit: ${room}.`, credits: '4.9' },
    ];
    const introduction = [
      'User "user_1" paid 49.00 EUR on invoice "in_1" at 2026-03-01T00:00:00Z.',
      'Code "anna-code" belongs to referrer "anna" in campaign "spring"; revision 1 applied at that time.',
    ];
    const all = {
      explanation: [...introduction, ...calculation.map((one) => one.detail)],
      tests: [
        { test: 'trigger', passed: true, detail: 'the rule is for purchases' },
        { test: 'credits per month', passed: true, detail: room },
      ],
      calculation,
    };
    const column = textsToColumn(all, row);
    expect(textsFromRow(stored(column))).to.deep.equal(all);
    expect(JSON.stringify(all).length).to.be.greaterThan(700);
    expect(Buffer.byteLength(JSON.stringify(column))).to.be.lessThan(220);
  });

  it('are read by the phrases that they were written by, whatever is written now', () => {
    const column =
      '\u0080\u0084\u009b\u0085\u0096\u0081\u0082\u008e\u00811\u0081\u008d\u0081\u0082' +
      'effect\u0081\u008f\u009f\u0090\u0091 \u0092\u0093\u0094\u0095\u0097\u0098\u0099\u009a' +
      '\u00811\u0081\u0081limit\u0081\u00830\u00810\u0081\u0081\u0082';
    const effect =
      'Rule "rule" gives the referrer " gives the new user   credits of what was paid, at  for each ' +
      "purchase; there is room for this, in the tier from  referred users with a purchase onof a user's " +
      'purchases only the first  earn; this is one of them';
    const limit = 'Limit: the rule is for purchases.';
    expect(textsFromRow(stored(column))).to.deep.equal({
      explanation: ['User "user_1" paid at most ', effect, limit],
      tests: [{ test: 'trigger', passed: true, detail: 'the rule is for purchases' }],
      calculation: [
        { step: 'effect', detail: effect, credits: '1' },
        { step: 'limit', detail: limit, credits: '0' },
      ],
    });
  });

  it('are refused when the explanation says something else than the calculation', () => {
    const calculation = [{ step: 'effect' as const, detail: 'one', credits: '1' }];
    for (const explanation of [['two'], []]) {
      expect(() => textsToColumn({ explanation, tests: [], calculation }, row)).to.throw(
        'must end with',
      );
    }
  });

  it('of a reward of which only an issuance is known are none', () => {
    const none = { explanation: [], tests: [], calculation: [] };
    expect(textsFromRow(stored(textsToColumn(none, row)))).to.deep.equal(none);
    expect(textsFromRow(stored([]))).to.deep.equal(none);
  });

  it('of an earlier release are in columns of their own', () => {
    const own = {
      texts: ['one', 'two'],
      tests: [{ test: 'trigger', passed: true, detail: 'd' }],
      calculation: [{ step: 'effect' as const, detail: 'two', credits: '1' }],
    };
    const { texts: explanation, ...others } = own;
    expect(textsFromRow({ ...row, ...own })).to.deep.equal({ explanation, ...others });
  });
});

import type { CalculationStep } from '@tributary/contracts/reward-record';
import { expect } from 'chai';
import fc from 'fast-check';
import { type StoredTexts, textsFromList, textsToList } from './reward-texts.ts';

const step: fc.Arbitrary<CalculationStep> = fc.oneof(
  fc.record({
    step: fc.constantFrom('effect' as const, 'limit' as const, 'withdrawal' as const),
    detail: fc.string(),
    credits: fc.constantFrom('0', '2.5'),
  }),
  fc.record({
    step: fc.constant('refund' as const),
    detail: fc.string(),
    credits: fc.constant('1'),
    eventId: fc.uuid(),
  }),
);
const texts = fc
  .record({
    introduction: fc.array(fc.string(), { maxLength: 3 }),
    tests: fc.array(
      fc.record(
        { test: fc.string(), passed: fc.boolean(), detail: fc.string() },
        { noNullPrototype: true },
      ),
      { maxLength: 3 },
    ),
    calculation: fc.array(step, { maxLength: 3 }),
  })
  .map(({ introduction, tests, calculation }) => ({
    explanation: [...introduction, ...calculation.map(({ detail }) => detail)],
    tests,
    calculation,
  }));

function stored(list: unknown): StoredTexts {
  const read = JSON.parse(JSON.stringify(list)) as StoredTexts['texts'];
  return { texts: read, tests: null, calculation: null };
}

describe('the texts of a reward as they are stored', () => {
  it('are read as they were written, to the byte', () => {
    fc.assert(
      fc.property(texts, (all) => {
        const read = textsFromList(stored(textsToList(all)));
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

  it('have each sentence once', () => {
    const list = textsToList({
      explanation: ['User "u" signed up.', 'Rule "r" gives 1 credit.'],
      tests: [{ test: 'trigger', passed: true, detail: 'the rule is for signups' }],
      calculation: [{ step: 'effect', detail: 'Rule "r" gives 1 credit.', credits: '1' }],
    });
    expect(JSON.stringify(list)).to.equal(
      '[["User \\"u\\" signed up."],[["trigger",true,"the rule is for signups"]],' +
        '[["effect","Rule \\"r\\" gives 1 credit.","1"]]]',
    );
  });

  it('are refused when the explanation says something else than the calculation', () => {
    const calculation = [{ step: 'effect' as const, detail: 'one', credits: '1' }];
    for (const explanation of [['two'], []]) {
      expect(() => textsToList({ explanation, tests: [], calculation })).to.throw('must end with');
    }
  });

  it('of a reward of which only an issuance is known are none', () => {
    const none = { explanation: [], tests: [], calculation: [] };
    expect(textsFromList(stored(textsToList(none)))).to.deep.equal(none);
    expect(textsFromList(stored([]))).to.deep.equal(none);
  });

  it('of an earlier release are in columns of their own', () => {
    const row = {
      texts: ['one', 'two'],
      tests: [{ test: 'trigger', passed: true, detail: 'd' }],
      calculation: [{ step: 'effect' as const, detail: 'two', credits: '1' }],
    };
    const { texts: explanation, ...others } = row;
    expect(textsFromList(row)).to.deep.equal({ explanation, ...others });
  });
});

import { compareCanonical, type Ordered } from '@tributary/contracts/canonical-order';
import { expect } from 'chai';
import fc from 'fast-check';
import { exactSeconds, isBefore, sortKeyOf, sortKeyOfSecond } from './sort-key.ts';

const seconds = fc.oneof(
  fc.constantFrom('0', '-0', '-0.0', '0.5', '-0.5', '-1', '-1.25', '1.250', '9', '10', '-9', '-10'),
  fc
    .tuple(
      fc.boolean(),
      fc.bigInt({ min: 0n, max: 10n ** 12n }),
      fc.stringMatching(/^[0-9]{0,40}$/),
    )
    .map(([minus, whole, decimals]) => `${minus ? '-' : ''}${whole}${decimals && `.${decimals}`}`),
);
const ordered: fc.Arbitrary<Ordered> = fc.record({
  occurredAtSeconds: seconds,
  receivedAt: fc.constantFrom('2026-03-01T00:00:00.000Z', '2026-03-01T00:00:00.001Z'),
  eventId: fc.constantFrom('a', 'b'),
});

describe('place in the canonical order', () => {
  it('compares as text as the facts compare exactly (design 7)', () => {
    fc.assert(
      fc.property(ordered, ordered, (a, b) => {
        const [x, y] = [sortKeyOf(a), sortKeyOf(b)];
        expect(Math.sign(compareCanonical(a, b))).to.equal(x < y ? -1 : x > y ? 1 : 0);
      }),
      { numRuns: 5_000 },
    );
  });

  it('stands behind the second it is in and before the next', () => {
    fc.assert(
      fc.property(ordered, (fact) => {
        const { whole } = exactSeconds(fact.occurredAtSeconds);
        expect(sortKeyOfSecond(Number(whole)) < sortKeyOf(fact)).to.equal(true);
        expect(sortKeyOf(fact) < sortKeyOfSecond(Number(whole) + 1)).to.equal(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('tells apart what differs in the last of thousands of digits', () => {
    const digits = '1'.repeat(20_000);
    const [a, b] = [exactSeconds(`1.${digits}1`), exactSeconds(`1.${digits}2`)];
    expect([isBefore(a, b), isBefore(b, a)]).to.deep.equal([true, false]);
  });
});

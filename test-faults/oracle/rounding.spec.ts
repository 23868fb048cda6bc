import { expect } from 'chai';
import { formatCredits, parseCredits } from '../../packages/rewards-fold/src/domain/credits.ts';
import { creditsOf, shareOf } from '../../packages/rewards-fold/src/domain/effect.ts';
import { asDecimal, by, decimal, roundHalfEven, times, whole } from './rational.ts';
import { percentOf } from './candidate-rewards.ts';

// Percent and rounding alone, every point of a grid: exponents of currencies, scales of credits,
// basis points, rates, amounts to 2^53 - 1. Exact fractions on one side, the service on the other.

const currencies = { JPY: 0, EUR: 2, KWD: 3, CLF: 4 } as const;
const scales = [0, 1, 2, 3, 4, 5, 6];
const basisPoints = [1, 25, 333, 1_000, 1_250, 5_000, 9_999, 10_000, 1_000_000];
const rates = ['1', '0.000001', '0.333333', '2.5', '999999999999999999.999999'];
const largest = Number.MAX_SAFE_INTEGER;
const amounts = [
  ...Array.from({ length: 130 }, (_, i) => i),
  ...[999, 1_000, 1_005, 12_345, 50_000, 150_000, 250_000, 10 ** 9 + 5, 2 ** 31, 2 ** 32 + 1],
  ...[10 ** 15 + 5, largest - 5, largest - 2, largest - 1, largest],
];

describe('a percentage of a payment', function () {
  this.timeout(60_000);

  for (const [currency, exponent] of Object.entries(currencies)) {
    it(`in ${currency}, of ${exponent} decimals, is exact to its one rounding`, () => {
      const wrong: string[] = [];
      let halves = 0;
      for (const scale of scales) {
        for (const points of basisPoints) {
          for (const rate of rates) {
            const effect = {
              kind: 'percent' as const,
              basisPoints: points,
              creditsPerMajorUnit: { [currency]: rate },
            };
            for (const amount of amounts) {
              const paid = { amount, exponent, basisPoints: points, creditsPerMajorUnit: rate };
              const expected = asDecimal(percentOf({ ...paid, creditScale: scale }));
              const actual = formatCredits(creditsOf(effect, { amount, currency }, scale));
              if (isHalf(paid, scale)) halves += 1;
              if (actual === expected) continue;
              const sentence = `${amount} ${currency} × ${points} bp × ${rate} to ${scale} places`;
              wrong.push(`${sentence}: ${actual}, not ${expected}`);
            }
          }
        }
      }
      expect(wrong.slice(0, 10)).to.deep.equal([]);
      // Else nothing would tell half-even from half-up.
      expect(halves).to.be.greaterThan(100);
    });
  }
});

describe('what a refund leaves of a reward', () => {
  it('is the exact share, rounded once', () => {
    const wrong: string[] = [];
    const granted = ['0.000001', '1', '2.5', '10', '333.333333', '90071992547409.91'];
    const parts: readonly (readonly [number, number])[] = [
      ...Array.from({ length: 101 }, (_, left) => [left, 100] as const),
      ...[1, 2, 3, 4].map((left) => [left, 8] as const),
      ...[1, 2, largest - 1, largest].map((left) => [left, largest] as const),
    ];
    for (const scale of scales) {
      for (const credits of granted) {
        const own = asDecimal(roundHalfEven(decimal(credits), scale));
        for (const [left, paid] of parts) {
          const share = times(decimal(own), by(whole(left), whole(paid)));
          const expected = asDecimal(roundHalfEven(share, scale));
          const part = [BigInt(left), BigInt(paid)] as const;
          const actual = formatCredits(shareOf(parseCredits(own), part, scale));
          if (actual !== expected)
            wrong.push(`${own} × ${left}/${paid}: ${actual}, not ${expected}`);
        }
      }
    }
    expect(wrong.slice(0, 10)).to.deep.equal([]);
  });
});

/** Whether the exact amount lies in the middle of two that the scale can write. */
function isHalf(
  paid: { amount: number; exponent: number; basisPoints: number; creditsPerMajorUnit: string },
  scale: number,
): boolean {
  const rate = BigInt(paid.creditsPerMajorUnit.replace('.', ''));
  const places = (paid.creditsPerMajorUnit.split('.')[1] ?? '').length;
  const over = BigInt(paid.amount) * BigInt(paid.basisPoints) * rate * 10n ** BigInt(scale);
  const under = 10n ** BigInt(paid.exponent + 4 + places);
  return 2n * (over % under) === under;
}

import { expect } from 'chai';
import fc from 'fast-check';
import { compareCanonical, compareDecimal } from './canonical-order.ts';

describe('canonical order (design 7)', () => {
  const decimal = fc
    .tuple(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), fc.nat(12))
    .map(([unscaled, scale]) => ({ unscaled, scale, text: toText(unscaled, scale) }));

  it('compares decimals exactly, whatever their scale', () => {
    fc.assert(
      fc.property(decimal, decimal, (a, b) => {
        const left = a.unscaled * 10n ** BigInt(12 - a.scale);
        const right = b.unscaled * 10n ** BigInt(12 - b.scale);
        const expected = left < right ? -1 : left > right ? 1 : 0;
        expect(Math.sign(compareDecimal(a.text, b.text))).to.equal(expected);
      }),
    );
  });

  it('tells apart what a float cannot', () => {
    expect(compareDecimal('1769860800.0000000000000000001', '1769860800')).to.equal(1);
    expect(compareDecimal('-1.75', '-1.7500')).to.equal(0);
    expect(compareDecimal('-0', '0')).to.equal(0);
  });

  it('orders by occurredAt, then receivedAt, then eventId', () => {
    const fact = (occurredAtSeconds: string, receivedAt: string, eventId: string) => ({
      occurredAtSeconds,
      receivedAt,
      eventId,
    });
    const sorted = [
      fact('-2', '2026-01-01T00:00:00.009Z', 'z'),
      fact('5', '2026-01-01T00:00:00.001Z', 'b'),
      fact('5', '2026-01-01T00:00:00.002Z', 'a'),
      fact('5', '2026-01-01T00:00:00.002Z', 'b'),
      fact('10', '2026-01-01T00:00:00.000Z', 'a'),
    ];
    expect([...sorted].reverse().sort(compareCanonical)).to.eql(sorted);
  });
});

function toText(unscaled: bigint, scale: number): string {
  const digits = (unscaled < 0n ? -unscaled : unscaled).toString().padStart(scale + 1, '0');
  const text = scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
  return unscaled < 0n ? `-${text}` : text;
}

import { expect } from 'chai';
import fc from 'fast-check';
import {
  contractAmount,
  inMinorUnits,
  inMinorUnitsUp,
  scaleOf,
  shareWithoutTax,
  whole,
} from './money.ts';

describe("Stripe's amounts in minor units of ISO 4217 (interface 2.4)", () => {
  it('differ for three currencies', () => {
    const minor = (currency: string) => inMinorUnits(12_300, scaleOf(currency)!, whole);
    expect(['eur', 'jpy', 'krw', 'bhd', 'tnd', 'mga', 'isk', 'ugx'].map(minor)).to.deep.equal([
      12_300n,
      12_300n,
      12_300n,
      12_300n,
      12_300n,
      1_230_000n,
      123n,
      123n,
    ]);
  });

  it('are none in a currency that the contract does not know', () => {
    for (const code of ['xyz', '', 'usdc', 'hrk', '__proto__']) {
      expect(scaleOf(code), code).to.equal(undefined);
    }
  });

  it('are rounded half to even, also below zero', () => {
    const isk = scaleOf('isk')!;
    const round = (amount: number) => Number(inMinorUnits(amount, isk, whole));
    expect([49, 50, 51, 149, 150, 250, -50, -150, -151].map(round)).to.deep.equal([
      0, 0, 1, 1, 2, 2, 0, -2, -2,
    ]);
  });

  it('are within half a unit of the exact value; rounded up, less than one above', () => {
    const any = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
    fc.assert(
      fc.property(any, any, fc.nat(), (amount, of, more) => {
        const share = { of: BigInt(of), in: BigInt(of) + BigInt(more) + 1n };
        const eur = scaleOf('eur')!;
        const exact = BigInt(amount) * share.of;
        const off = inMinorUnits(amount, eur, share) * share.in - exact;
        expect(2n * (off < 0n ? 0n - off : off) <= share.in).to.equal(true);
        const above = inMinorUnitsUp(amount, eur, share) * share.in - exact;
        expect(above >= 0n && above < share.in).to.equal(true);
      }),
    );
  });

  it('are shared only where there is something to share', () => {
    expect(shareWithoutTax(1_190, 1_000)).to.deep.equal({ of: 1_000n, in: 1_190n });
    for (const [total, excluding] of [
      [1_190, null],
      [0, 0],
      [-5, -4],
      [100, -1],
    ] as const) {
      expect(shareWithoutTax(total, excluding)).to.deep.equal(whole);
    }
  });

  it('are in the contract from 0 to 2^53 - 1', () => {
    const largest = 2n ** 53n - 1n;
    expect([-1n, 0n, largest, largest + 1n].map(contractAmount)).to.deep.equal([
      ...[undefined, 0, Number(largest), undefined],
    ]);
  });
});

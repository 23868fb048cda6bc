import { expect } from 'chai';
import fc from 'fast-check';
import { emailKey } from './accounts.ts';

describe('portal: the key of an e-mail', () => {
  it('is the same for addresses that differ in the case of ASCII letters', () => {
    expect(emailKey('Kim.Smith@Example.COM')).to.equal('kim.smith@example.com');
  });

  it('keeps apart what only Unicode folds together', () => {
    for (const [one, other] of [
      ['\u212aim@example.com', 'kim@example.com'],
      ['\u0130@example.com', 'i\u0307@example.com'],
      ['\u00c4@example.com', '\u00e4@example.com'],
    ] as const) {
      expect(emailKey(one)).not.to.equal(emailKey(other));
    }
  });

  it('never makes one of two addresses that differ in more than that', () => {
    const letter = fc.constantFrom('k', 'K', '\u212a', 's', '\u017f', 'i', '\u0130', '\u0131', '@');
    const text = fc.array(letter, { maxLength: 3 });
    fc.assert(
      fc.property(text, text, (one, other) => {
        const isSame =
          one.length === other.length &&
          one.every((char, at) => char === other[at] || isAsciiPair(char, other[at] ?? ''));
        expect(emailKey(one.join('')) === emailKey(other.join(''))).to.equal(isSame);
      }),
      { numRuns: 2_000 },
    );
  });
});

function isAsciiPair(one: string, other: string): boolean {
  const isAscii = /^[A-Za-z]{2}$/.test(one + other);
  return isAscii && (one.charCodeAt(0) ^ other.charCodeAt(0)) === 0x20;
}

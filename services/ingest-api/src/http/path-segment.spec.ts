import { expect } from 'chai';
import fc from 'fast-check';
import { decodeSegment } from './path-segment.ts';

describe('a path segment', () => {
  it('gives back whatever text was encoded', () => {
    const text = fc
      .string({ unit: 'binary', minLength: 1, maxLength: 60 })
      .filter((one) => !one.includes('\0'));
    fc.assert(
      fc.property(text, (one) => {
        expect(decodeSegment(encodeURIComponent(one))).to.equal(one);
      }),
    );
  });

  it('is decoded once, and keeps what means something elsewhere', () => {
    expect(decodeSegment('%2541')).to.equal('%41');
    expect(decodeSegment('a+b;c=d,e:f@g')).to.equal('a+b;c=d,e:f@g');
    expect(decodeSegment('..%2f..')).to.equal('../..');
    expect(decodeSegment('%2E%2e')).to.equal('..');
  });

  it('counts characters, not units: 255 emoji fit, 256 do not', () => {
    expect(decodeSegment(encodeURIComponent('🦊'.repeat(255)))).to.equal('🦊'.repeat(255));
    expect(decodeSegment(encodeURIComponent('🦊'.repeat(256)))).to.equal(undefined);
    expect(decodeSegment('x'.repeat(256))).to.equal(undefined);
  });

  const nothing: Record<string, string> = {
    'an empty one': '',
    'two of them': 'a/b',
    'an encoded NUL': 'a%00',
    'a lonely percent sign': '%',
    'half an escape': 'a%2',
    'an escape that is not hexadecimal': '%zz',
    'half a character': '%F0%9F%98',
    'an overlong slash': '%c0%af',
    'an encoded surrogate': '%ED%A0%80',
  };
  for (const [what, segment] of Object.entries(nothing)) {
    it(`is nothing when it is ${what}`, () => {
      expect(decodeSegment(segment)).to.equal(undefined);
    });
  }
});

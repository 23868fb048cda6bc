import { expect } from 'chai';
import fc from 'fast-check';
import { clickToValue, isId, readClick, readKeptClick } from './click-cookie.ts';

const at = Date.parse('2026-03-01T12:00:00.000Z');
const id = fc.string({ minLength: 1, maxLength: 255, unit: 'grapheme' }).filter(isId);

describe('the click cookie', () => {
  it('gives back whatever was kept', () => {
    const click = fc.record({
      ucc: id,
      productId: fc.option(id, { nil: undefined }),
      campaignId: fc.option(id, { nil: undefined }),
      capturedMs: fc.integer({ min: 0, max: 253_402_300_799_999 }),
    });
    fc.assert(
      fc.property(click, (kept) => {
        const value = clickToValue(kept);
        // What a cookie can hold: nothing that ends it or separates it from the next.
        expect(value).to.match(/^[\w.!~*'()%-]+$/);
        expect(readKeptClick(`a=b; tributary_ucc=${value}; tributary_ucc2=x`)).to.deep.equal(kept);
      }),
    );
  });

  it('is told to the service as a code and a UTC instant', () => {
    const value = clickToValue({ ucc: 'Ada 1', productId: 'p', capturedMs: at });
    expect(readClick(`tributary_ucc=${value}`)).to.deep.equal({
      ucc: 'Ada 1',
      capturedAt: '2026-03-01T12:00:00.000Z',
    });
  });

  it('is the later of two, whichever the browser names first', () => {
    const old = `tributary_ucc=${clickToValue({ ucc: 'old', capturedMs: at })}`;
    const late = `tributary_ucc=${clickToValue({ ucc: 'late', capturedMs: at + 1 })}`;
    expect(readKeptClick(`${old}; ${late}`)?.ucc).to.equal('late');
    expect(readKeptClick(`${late}; ${old}`)?.ucc).to.equal('late');
  });

  const encoded = (value: unknown) => encodeURIComponent(JSON.stringify(value));
  for (const [what, cookie] of [
    ['none', ''],
    ['another', 'my_tributary_ucc=x'],
    ['an empty one', 'tributary_ucc='],
    ['no JSON', 'tributary_ucc=abc'],
    ['a broken escape', 'tributary_ucc=%E0%A4'],
    ['null', `tributary_ucc=${encoded(null)}`],
    ['no code', `tributary_ucc=${encoded({ t: at })}`],
    ['an empty code', `tributary_ucc=${encoded({ u: '', t: at })}`],
    ['a code with NUL', `tributary_ucc=${encoded({ u: 'a\0b', t: at })}`],
    ['half a character', `tributary_ucc=${encoded({ u: 'a\ud800', t: at })}`],
    ['256 code points', `tributary_ucc=${encoded({ u: 'a'.repeat(256), t: at })}`],
    ['no time', `tributary_ucc=${encoded({ u: 'a' })}`],
    ['a time that is a text', `tributary_ucc=${encoded({ u: 'a', t: '1' })}`],
    ['a time before 1970', `tributary_ucc=${encoded({ u: 'a', t: -1 })}`],
    [
      'a time that no timestamp has',
      `tributary_ucc=${encoded({ u: 'a', t: 253_402_300_800_000 })}`,
    ],
  ] as const) {
    it(`is nothing when there is ${what}`, () => {
      expect(readClick(cookie)).to.equal(undefined);
    });
  }

  it('holds 255 code points, however long they are in UTF-16', () => {
    const ucc = '🫖'.repeat(255);
    expect(readClick(`tributary_ucc=${clickToValue({ ucc, capturedMs: at })}`)?.ucc).to.equal(ucc);
  });

  it('does without the parts that are not of the form agreed on', () => {
    const cookie = `tributary_ucc=${encoded({ u: 'a', p: 5, c: '', t: at + 0.5 })}`;
    expect(readKeptClick(cookie)).to.deep.equal({
      ...{ ucc: 'a', productId: undefined, campaignId: undefined },
      capturedMs: at,
    });
  });
});

import { expect } from 'chai';
import { piecesOf, withMarks, withMarksByLine } from './hidden-characters.ts';

describe('characters that cannot be seen', () => {
  for (const [given, shown] of [
    ['Ada Lovelace', 'Ada Lovelace'],
    ['exe.\u202egnp', 'exe.[U+202E]gnp'],
    ['a\u200bb', 'a[U+200B]b'],
    ['line\nbreak', 'line[U+000A]break'],
    ['\ufeffstart', '[U+FEFF]start'],
    ['tag\u{e0041}', 'tag[U+E0041]'],
    ['مرحبا', 'مرحبا'],
    ['日本語', '日本語'],
    ['日本\u3000語', '日本\u3000語'],
    [' ', '[U+0020]'],
    [' Ada ', '[U+0020]Ada[U+0020]'],
    ['\u00a0\u2003', '[U+00A0][U+2003]'],
    ['', ''],
  ] as const) {
    it(`show ${JSON.stringify(given)} as ${shown}`, () => {
      expect(withMarks(given)).to.equal(shown);
    });
  }

  it('leave lines as far in as they are', () => {
    expect(withMarksByLine('{\n  "a": "\u200b"\n}')).to.equal('{\n  "a": "[U+200B]"\n}');
  });

  it('are left alone where they join an emoji, and nowhere else', () => {
    const family = '👨‍👩‍👧';
    expect(piecesOf(family.repeat(255))).to.deep.equal([{ text: family.repeat(255) }]);
    expect(withMarks('a\u200db')).to.equal('a[U+200D]b');
  });
});

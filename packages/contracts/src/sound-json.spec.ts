import { expect } from 'chai';
import fc from 'fast-check';
import { isSoundJson } from './sound-json.ts';
import { parseCarefully } from './strict-json.ts';

const isSound = (text: string) => isSoundJson(Buffer.from(text));
const isStrict = (text: string) => parseCarefully(Buffer.from(text)).outcome === 'json';

describe('sound JSON, strict JSON without a value', () => {
  it('is sound exactly when the careful reader takes it, escapes aside', () => {
    const token = fc.constantFrom(
      ...'{ } [ ] , : "a" "b" "é" "\\u00e9" "\\x" "\\" 0 -0 -1 01 1. 1.5 1e5 1E+2 1e .5'.split(' '),
      ...'true nul null falsey'.split(' '),
      ' ',
      '\t',
      '"a":1',
      '{"a":1,"b":[',
      '"\u0001"',
    );
    const anyText = fc.array(token, { maxLength: 10 }).map((tokens) => tokens.join(''));
    const jsonText = fc
      .tuple(fc.jsonValue({ noUnicodeString: false }), fc.nat(3))
      .map(([json, indent]) => JSON.stringify(json, undefined, indent));
    const cutText = fc
      .tuple(jsonText, fc.nat(60), fc.constantFrom('', '"', '}', ',', '\\'))
      .map(([text, at, instead]) => text.slice(0, at) + instead + text.slice(at + 1));
    fc.assert(
      fc.property(fc.oneof(anyText, jsonText, cutText), (text) => {
        const strict = isStrict(text);
        if (!text.includes('\\')) expect(isSound(text), text).to.equal(strict);
        else if (isSound(text)) expect(strict, text).to.equal(true);
      }),
      { numRuns: 10_000 },
    );
  });

  it('knows the escapes of values', () => {
    for (const value of ['"\\u00e9\\uD83D"', '"\\"\\\\\\/\\b\\f\\n\\r\\t"', '{"a":"\\u0061"}']) {
      expect(isSound(value), value).to.equal(true);
    }
    for (const value of ['"\\x"', '"\\u12g4"', '"\\u123"', '"\\u12', '"\\', '"\\"']) {
      expect(isSound(value), value).to.equal(false);
    }
  });

  it('finds a name used twice in one object, and only there', () => {
    const members = (count: number) => Array.from({ length: count }, (_, n) => `"f${n}":0`).join();
    expect(isSound(`{${members(9_000)}}`)).to.equal(true);
    expect(isSound(`{${members(9_000)},"f17":1}`)).to.equal(false);
    expect(isSound(`{${members(9_000)},"f":{${members(100)}}}`)).to.equal(true);
    expect(isSound('{"a":{"b":1},"b":[{"a":1},{"a":1}]}')).to.equal(true);
    expect(isSound('{"a":{"b":1,"a":2,"b":3}}')).to.equal(false);
    expect(isSound('{"é":1,"é":2}')).to.equal(false);
  });

  it('leaves names with escapes, and more of them than it can take, to the careful reader', () => {
    expect(isSound('{"\\u0061":1}')).to.equal(false);
    const many = Array.from({ length: 20_000 }, (_, n) => `"f${n}":0`).join();
    expect(isSound(`{${many}}`)).to.equal(false);
    expect(isSound('{"a":1}')).to.equal(true);
  });

  it('takes 32 levels and no more', () => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      expect(isSound(`${open.repeat(32)}0${close.repeat(32)}`)).to.equal(true);
      expect(isSound(`${open.repeat(33)}0${close.repeat(33)}`)).to.equal(false);
    }
  });
});

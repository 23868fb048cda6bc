import { expect } from 'chai';
import fc from 'fast-check';
import { type JsonObject, namesInDocumentOrder, parseStrictJson } from './strict-json.ts';

const parse = (text: string | Buffer) =>
  parseStrictJson(typeof text === 'string' ? Buffer.from(text) : text);
const value = (text: string) => {
  const json = parse(text);
  if (json.outcome !== 'json') throw new Error(json.detail);
  return json.value;
};
/** JSON.parse rounds where this reader keeps a bigint. */
const stringify = (json: unknown) =>
  JSON.stringify(json, (_, v: unknown) => (typeof v === 'bigint' ? Number(v) : v));
const isMalformed = (text: string | Buffer) => parse(text).outcome === 'malformed';

describe('strict JSON (design 8, "Body shape")', () => {
  it('reads any JSON text without fractions as JSON.parse does', () => {
    const whole = fc
      .jsonValue({ noUnicodeString: false })
      .filter((v) => !/[.e]/i.test(numbersOf(v)));
    fc.assert(
      fc.property(whole, fc.nat(4), (json, indent) => {
        const text = JSON.stringify(json, undefined, indent);
        expect(stringify(value(text))).to.equal(JSON.stringify(JSON.parse(text)));
      }),
    );
  });

  it('accepts and refuses the same texts as JSON.parse, duplicates and depth aside', () => {
    const token = fc.constantFrom(
      ...'{ } [ ] , : "a" "b" "\\u00e9" "\\x" 0 -1 01 1. 1e5 .5 true nul null "'.split(' '),
      ' ',
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 8 }), (tokens) => {
        const text = tokens.join('');
        if (/("[ab]").*\1/.test(text)) return;
        expect(isMalformed(text), text).to.equal(!isJson(text));
      }),
      { numRuns: 2_000 },
    );
  });

  it('keeps whole numbers exact and turns -0 into 0', () => {
    expect(value('[9007199254740991, -9007199254740991]')).to.eql([
      Number.MAX_SAFE_INTEGER,
      -Number.MAX_SAFE_INTEGER,
    ]);
    expect(value('9007199254740993')).to.equal(9007199254740993n);
    expect(Object.is(value('-0'), 0)).to.equal(true);
  });

  it('takes no number with a point or an exponent for a whole one (4.1 rule 2)', () => {
    for (const text of ['49.00', '4900.0', '1e2', '1E+2', '1e-2', '-0.0', '9007199254740990.6']) {
      expect(value(text), text).to.eql(Number.NaN);
    }
  });

  it('refuses a name used twice, also when spelled with an escape', () => {
    expect(isMalformed('{"a":1,"a":2}')).to.equal(true);
    expect(isMalformed('{"a":1,"\\u0061":2}')).to.equal(true);
    expect(isMalformed('[{"x":{"__proto__":1,"__proto__":2}}]')).to.equal(true);
    expect(isMalformed('{"a":null,"b":{"a":1}}')).to.equal(false);
  });

  it('takes 32 levels and refuses 33, the root counting as 1', () => {
    expect(isMalformed('['.repeat(32) + ']'.repeat(32))).to.equal(false);
    expect(isMalformed('['.repeat(33) + ']'.repeat(33))).to.equal(true);
    expect(isMalformed('{"a":'.repeat(33) + '1' + '}'.repeat(33))).to.equal(true);
    expect(isMalformed('['.repeat(60_000))).to.equal(true);
  });

  it('refuses bytes that are not UTF-8, a byte order mark, and an empty body', () => {
    expect(isMalformed(Buffer.from([0x22, 0xff, 0x22]))).to.equal(true);
    expect(isMalformed(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]))).to.equal(true);
    expect(isMalformed('\ufeff{}')).to.equal(true);
    expect(isMalformed('')).to.equal(true);
    expect(isMalformed('  \n')).to.equal(true);
  });

  it('treats prototype names as plain members', () => {
    const object = value('{"__proto__":{"x":1},"constructor":2,"toString":3}') as JsonObject;
    expect(Object.keys(object)).to.eql(['__proto__', 'constructor', 'toString']);
    expect(Object.keys(object['__proto__'] as JsonObject)).to.eql(['x']);
    expect(namesInDocumentOrder(value('{}') as JsonObject)).to.eql([]);
    expect(({} as Record<string, unknown>)['x']).to.equal(undefined);
  });

  it('remembers the document order of integer-like names', () => {
    const object = value('{"b":1,"10":2,"9":3,"a":4}') as JsonObject;
    expect(namesInDocumentOrder(object)).to.eql(['b', '10', '9', 'a']);
  });

  it('validates members past the limit like all others, and keeps only those before it', () => {
    const read = (text: string) => parseStrictJson(Buffer.from(text), 2);
    const kept = read('{"b":1,"a":{"x":1,"y":2,"z":3},"c":[1,"\\u0061"],"1":{}} ');
    expect(kept.outcome === 'json' && JSON.stringify(kept.value)).to.equal(
      '{"b":1,"a":{"x":1,"y":2,"z":3}}',
    );
    for (const rest of [
      '"a":1}',
      '"\\u0061":1}',
      '"c":1,"\\u0063":2}',
      '"c":1,"d":2,"c":3}',
      '"c":{"x":1,"z":1,"z":1}}',
      '"c":01}',
      '"c" 1}',
      '"c":1,}',
      'c:1}',
      '"c":1',
      '"c":1}}',
      '"c":1} {}',
    ]) {
      expect(read(`{"a":1,"b":2,${rest}`).outcome, rest).to.equal('malformed');
    }
  });

  it('never repeats the body in its message', () => {
    const json = parse('{"secret-name": secretvalue}');
    expect(json)
      .to.have.property('detail')
      .that.does.not.match(/secret/);
  });
});

function numbersOf(json: unknown): string {
  return (
    JSON.stringify(json)
      .replaceAll(/"(?:[^"\\]|\\.)*"/g, '')
      .match(/[\d.eE]+/g) ?? []
  ).join();
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

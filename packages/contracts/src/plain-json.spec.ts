import { expect } from 'chai';
import fc from 'fast-check';
import { parsePlainJson } from './plain-json.ts';
import { type JsonObject, namesInDocumentOrder, parseCarefully } from './strict-json.ts';

const plain = (text: string) => parsePlainJson(Buffer.from(text));

describe('plain JSON, the short cut of strict JSON', () => {
  it('says what the careful reader says, or nothing', () => {
    const token = fc.constantFrom(
      ...'{ } [ ] , : "a" "b" "1" "\\u0031" "\\"" "é:" -0 0 1.5 1e2 1E2 true null'.split(' '),
      '1234567890123456',
      ' ',
      '"a":1',
      '{"b":',
    );
    const anyText = fc.array(token, { maxLength: 9 }).map((tokens) => tokens.join(''));
    const jsonText = fc
      .tuple(fc.jsonValue({ noUnicodeString: false }), fc.nat(3))
      .map(([json, indent]) => JSON.stringify(json, undefined, indent));
    fc.assert(
      fc.property(fc.oneof(anyText, jsonText), (text) => {
        const value = plain(text);
        if (value === undefined) return;
        const careful = parseCarefully(Buffer.from(text));
        expect(careful.outcome, text).to.equal('json');
        const expected = careful.outcome === 'json' ? careful.value : undefined;
        // As text: the order of the members counts too.
        expect(JSON.stringify(value), text).to.equal(JSON.stringify(expected));
      }),
      { numRuns: 5_000 },
    );
  });

  it('takes what bodies are made of', () => {
    const texts = [
      '{"ucc":"A","amount":4900,"newUser":{"id":"u"},"list":[true,false,null,{"x":[]}]}',
      '{\n  "a" : 1,\r\n\t"b" : "Zoë 王小明 😀"\n}',
      '{"a":"\\"quoted\\": {[1.5e3-\\\\","b":"\\u00e9\\/"}',
      '[999999999999999, "9007199254740993", "1e5", "-1.5"]',
      '{"__proto__":1,"constructor":{"__proto__":2}}',
      '"text"',
      '['.repeat(32) + ']'.repeat(32),
    ];
    for (const text of texts) {
      expect(JSON.stringify(plain(text)), text).to.equal(JSON.stringify(JSON.parse(text)));
    }
    expect(namesInDocumentOrder(plain('{"b":1,"a":2,"x1":3}') as JsonObject)).to.eql([
      'b',
      'a',
      'x1',
    ]);
  });

  it('leaves everything unusual to the careful reader', () => {
    const texts = [
      '{"a":1,"a":2}',
      '{"a":1,"\\u0061":2}',
      '[{"x":{"__proto__":1,"__proto__":2}}]',
      '-0',
      '1.0',
      '1e2',
      '[1E2]',
      '9007199254740993',
      '{"b":1,"1":2}',
      '{"b":1,"\\u0031":2}',
      '['.repeat(33) + ']'.repeat(33),
      '\ufeff{}',
      '{"a":1',
      '{"a',
      '{"a\\',
      '',
    ];
    for (const text of texts) expect(plain(text), text).to.equal(undefined);
  });
});

import { expect } from 'chai';
import fc from 'fast-check';
import { canonicalJson } from './canonical-json.ts';
import { type JsonObject, parseStrictJson } from './strict-json.ts';

const read = (text: string) => {
  const json = parseStrictJson(Buffer.from(text));
  if (json.outcome !== 'json') throw new Error(json.detail);
  return json.value as JsonObject;
};

describe('canonical JSON (design 5, fingerprint)', () => {
  it('does not depend on member order, blanks or escapes', () => {
    expect(canonicalJson(read('{"b":[1,2],"a":{"d":"\\u00e9","c":-0}}'))).to.equal(
      canonicalJson(read(' { "a" : {"c":0,"d":"é"}, "b":[ 1, 2 ] } ')),
    );
  });

  it('is the same for every order of the members and tells different values apart', () => {
    const members = fc.uniqueArray(fc.tuple(fc.string(), fc.oneof(fc.string(), fc.integer())), {
      selector: ([name]) => name,
      minLength: 1,
    });
    const withTwoOrders = members.chain((list) =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
    );
    fc.assert(
      fc.property(withTwoOrders, ([one, other]) => {
        const text = canonicalJson(read(toJson(one)));
        expect(canonicalJson(read(toJson(other)))).to.equal(text);
        const changed = [[one[0]![0], 'another value!'] as const, ...one.slice(1)];
        if (one[0]![1] !== 'another value!') {
          expect(canonicalJson(read(toJson(changed)))).not.to.equal(text);
        }
      }),
    );
  });

  it('escapes as JSON.stringify does', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 4 }), (text) => {
        const name = `"${text}`;
        expect(canonicalJson({ [name]: text })).to.equal(JSON.stringify({ [name]: text }));
        expect(canonicalJson(text)).to.equal(JSON.stringify(text));
      }),
    );
    const special = '\u0000\u001f "\\\u007f\u2028\ud800';
    expect(canonicalJson(special)).to.equal(JSON.stringify(special));
    for (const character of special) {
      expect(canonicalJson(character)).to.equal(JSON.stringify(character));
    }
  });

  it('leaves out the named top-level member only', () => {
    const body = read('{"idempotencyKey":"k","newUser":{"idempotencyKey":"k"}}');
    expect(canonicalJson(body, 'idempotencyKey')).to.equal('{"newUser":{"idempotencyKey":"k"}}');
  });

  it('keeps every digit of large whole numbers', () => {
    expect(canonicalJson(read('{"seatsUsed":9007199254740993}'))).to.equal(
      '{"seatsUsed":9007199254740993}',
    );
  });
});

function toJson(members: readonly (readonly [string, unknown])[]): string {
  return `{${members.map(([name, v]) => `${JSON.stringify(name)}:${JSON.stringify(v)}`).join()}}`;
}

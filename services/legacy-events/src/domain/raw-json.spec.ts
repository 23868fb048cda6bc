import { expect } from 'chai';
import fc from 'fast-check';
import { NumberText, parseRawJson, type RawJson } from './raw-json.ts';

const bytesOf = (text: string) => Buffer.from(text);

describe('parseRawJson (design 8, "Legacy": tolerant)', () => {
  it('reads what JSON.parse reads, to the same value (property)', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6, stringUnit: 'binary' }), (text) => {
        expect(plain(parseRawJson(bytesOf(text))!)).to.deep.equal(JSON.parse(text));
      }),
    );
  });

  it('reads nothing that JSON.parse does not, whatever the bytes (property)', () => {
    const nearJson = fc
      .array(fc.constantFrom(...'{}[],:"\\ \n1-.e', 'null', 'true', '"a"', '\ufeff', 'é'))
      .map((parts) => bytesOf(parts.join('')));
    const anyBytes = fc.uint8Array().map((bytes) => Buffer.from(bytes));
    fc.assert(
      fc.property(fc.oneof(nearJson, anyBytes), (bytes) => {
        expect(parseRawJson(bytes) !== undefined).to.equal(isJson(bytes));
      }),
      { numRuns: 1_000 },
    );
  });

  it('keeps the text of numbers, beyond what a float holds', () => {
    const text = '[0.49999999999999999999, 90071992547409931234, 1E+2, -0]';
    expect(parseRawJson(bytesOf(text))).to.deep.equal(
      ['0.49999999999999999999', '90071992547409931234', '1E+2', '-0'].map(
        (number) => new NumberText(number),
      ),
    );
  });

  it('takes a byte order mark and, of doubled names, the last', () => {
    const read = parseRawJson(bytesOf('\ufeff{"a":"1","b":{"c":"2"},"a":"3"}'));
    expect(plain(read!)).to.deep.equal({ a: '3', b: { c: '2' } });
  });

  it('takes bytes that are no UTF-8 for no JSON', () => {
    for (const hex of ['22ff22', '22c328 22', '22eda08022', 'fffe7b007d00']) {
      expect(parseRawJson(Buffer.from(hex.replaceAll(' ', ''), 'hex')), hex).to.equal(undefined);
    }
  });

  it('takes __proto__ for a name like any other', () => {
    const read = parseRawJson(bytesOf('{"__proto__":{"payload":"x"},"constructor":"y"}'));
    expect(Object.keys(read as object)).to.deep.equal(['__proto__', 'constructor']);
    expect((read as Record<string, unknown>)['payload']).to.equal(undefined);
    expect(({} as Record<string, unknown>)['payload']).to.equal(undefined);
  });

  it('reads as many levels as 64 KiB hold', () => {
    const levels = 32_768;
    for (const [begin, end] of [
      ['[', ']'],
      ['{"":', '}'],
    ] as const) {
      const times = Math.floor(levels / begin.length);
      const text = begin.repeat(times) + (begin === '[' ? '' : '1') + end.repeat(times);
      let depth = 0;
      for (let at: unknown = parseRawJson(bytesOf(text)); isContainer(at); depth++) {
        at = Object.values(at)[0];
      }
      expect(depth, begin).to.equal(times);
    }
  });
});

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !(value instanceof NumberText);
}

/** Read by nobody else: numbers as floats, objects as JSON.parse makes them. */
function plain(value: RawJson): unknown {
  if (value instanceof NumberText) return Number(value.text);
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || typeof value !== 'object') return value;
  const object = {};
  for (const [name, member] of Object.entries(value)) {
    const property = { value: plain(member), enumerable: true, writable: true, configurable: true };
    Object.defineProperty(object, name, property);
  }
  return object;
}

function isJson(bytes: Buffer): boolean {
  const text = bytes.toString('utf8');
  if (!Buffer.from(text).equals(bytes)) return false;
  try {
    JSON.parse(text.replace(/^\ufeff/, ''));
    return true;
  } catch {
    return false;
  }
}

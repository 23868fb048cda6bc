import { type TObject, Kind } from '@sinclair/typebox';
import { expect } from 'chai';
import fc from 'fast-check';
import { canonicalJson } from './canonical-json.ts';
import { type V2EventType, v2Events } from './public/v2-events.ts';

/** What the fingerprint of a request is a digest of. */
function canonical(type: V2EventType, text: string): string {
  const reading = v2Events[type].read(Buffer.from(text));
  if (reading.outcome !== 'valid') throw new Error(`${reading.outcome}: ${text}`);
  return canonicalJson(reading.body, 'idempotencyKey');
}

/** For every field of every event two values that are easily taken for one, as JSON. */
const values: Record<string, readonly [one: string, another: string]> = {
  ucc: ['"AbC"', '"aBC"'],
  occurredAt: ['"2026-01-31T12:00:00Z"', '"2026-01-31T12:00:00+00:00"'],
  idempotencyKey: ['"k"', '"l"'],
  'newUser.id': ['"\\u00e9"', '"e\\u0301"'],
  'newUser.email': ['"a@example.com"', '"A@example.com"'],
  'newUser.name': ['"Nova"', '"Nova "'],
  'newUser.organizationId': ['"1"', '"01"'],
  currency: ['"EUR"', '"USD"'],
  invoiceId: ['"i"', '"\\u0131"'],
  amount: ['9007199254740990', '9007199254740991'],
  'subscription.id': ['"s"', '"\\u017f"'],
  'subscription.interval': ['"weekly"', '"bi-weekly"'],
  // The same number for whoever reads it as a double.
  'subscription.seatsUsed': ['9007199254740993', '9007199254740992'],
  'subscription.productKey': ['"\\\\u0041"', '"A"'],
};

const types = Object.keys(v2Events) as V2EventType[];

describe('the canonical text of an event (4.1 rules 8 and 9, design 5, fingerprint)', () => {
  for (const type of types) {
    const fields = fieldsOf(v2Events[type].schema);

    it(`of ${type} changes with every field, and not with idempotencyKey`, () => {
      const whole = new Map(fields.map(({ path }) => [path, values[path]![0]]));
      const text = canonical(type, write(whole));
      for (const { path } of fields) {
        const other = canonical(type, write(new Map([...whole, [path, values[path]![1]]])));
        if (path === 'idempotencyKey') expect(other, path).to.equal(text);
        else expect(other, path).not.to.equal(text);
      }
    });

    it(`of ${type} tells an absent optional field from a present one`, () => {
      const optional = fields.filter((field) => field.optional).map(({ path }) => path);
      const required = fields.filter((field) => !field.optional);
      const texts = new Map<string, string>();
      fc.assert(
        fc.property(fc.subarray(optional), (chosen) => {
          const paths = [...required.map(({ path }) => path), ...chosen];
          const fingerprinted = chosen.filter((path) => path !== 'idempotencyKey').join();
          const text = canonical(type, write(new Map(paths.map((p) => [p, values[p]![0]]))));
          // One text per set of fields, and no other set has it.
          expect(texts.get(text) ?? fingerprinted).to.equal(fingerprinted);
          texts.set(text, fingerprinted);
        }),
      );
      expect(new Set(texts.values()).size).to.equal(texts.size);
    });
  }

  it('tells an empty subscription from none', () => {
    const refund = { ucc: 'c', occurredAt: '2026-01-31T12:00:00Z', newUser: { id: 'u' } };
    const paid = { ...refund, currency: 'EUR', invoiceId: 'i', amount: 1 };
    const type = 'purchase-refunded';
    expect(canonical(type, JSON.stringify({ ...paid, subscription: {} }))).not.to.equal(
      canonical(type, JSON.stringify(paid)),
    );
  });

  it('is the same for every order, blank and escape, and loses nothing', () => {
    fc.assert(
      fc.property(bodies, fc.integer(), fc.integer(), (body, seed, otherSeed) => {
        const text = canonical('purchase-created', spell(body, seed));
        expect(canonical('purchase-created', spell(body, otherSeed))).to.equal(text);
        const { idempotencyKey, ...rest } = body;
        expect(JSON.parse(text), String(idempotencyKey)).to.eql(rest);
      }),
    );
  });

  it('is another one for any other body', () => {
    fc.assert(
      fc.property(bodies, bodies, fc.integer(), (one, other, seed) => {
        const comparable = (body: Body) => sorted({ ...body, idempotencyKey: undefined });
        const same = comparable(one) === comparable(other);
        const texts = [one, other].map((body) => canonical('purchase-created', spell(body, seed)));
        expect(texts[0] === texts[1]).to.equal(same);
      }),
    );
  });
});

/** The leaves of a body, by path; below an optional object all count as optional. */
function fieldsOf(schema: TObject, prefix = '', optional = false): Field[] {
  return Object.entries(schema.properties).flatMap(([name, member]) => {
    const isOptional = optional || !schema.required?.includes(name);
    const path = `${prefix}${name}`;
    if (member[Kind] === 'Object') return fieldsOf(member as TObject, `${path}.`, isOptional);
    if (!values[path]) throw new Error(`no two values for the new field ${path}`);
    return { path, optional: isOptional };
  });
}

type Field = { path: string; optional: boolean };

/** A body from JSON by path; paths have at most two parts. */
function write(members: ReadonlyMap<string, string>): string {
  const top: string[] = [];
  const nested = new Map<string, string[]>();
  for (const [path, json] of members) {
    const [first = '', second] = path.split('.');
    if (second === undefined) top.push(`"${first}":${json}`);
    else nested.set(first, [...(nested.get(first) ?? []), `"${second}":${json}`]);
  }
  for (const [name, inner] of nested) top.push(`"${name}":{${inner.join()}}`);
  return `{${top.join()}}`;
}

type Body = Record<string, unknown>;

const plain = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 12 })
  .filter((text) => text.isWellFormed() && !text.includes('\0'));

/** From small sets where it matters that two bodies are often equal but for one field. */
const bodies: fc.Arbitrary<Body> = fc.record(
  {
    ucc: fc.oneof(fc.constantFrom('c', 'C'), plain),
    occurredAt: fc.constantFrom('2026-01-31T12:00:00Z', '2026-01-31t12:00:00.0z'),
    newUser: fc.record(
      { id: fc.constantFrom('u', '\u00fc', 'u\u0308'), name: plain, organizationId: plain },
      { requiredKeys: ['id'] },
    ),
    idempotencyKey: fc.constantFrom('k', 'l'),
    currency: fc.constantFrom('EUR', 'JPY'),
    invoiceId: fc.constantFrom('i', '"', '\\', '/'),
    amount: fc.constantFrom(0, 1, 4900),
    subscription: fc.record(
      { interval: fc.constantFrom('monthly', 'yearly'), seatsUsed: fc.nat(2), productKey: plain },
      { requiredKeys: ['interval'] },
    ),
  },
  { noNullPrototype: true, requiredKeys: requiredOf('purchase-created') },
);

function requiredOf(type: V2EventType) {
  return v2Events[type].schema.required as unknown as ['ucc'];
}

/** The same JSON in another order, with blanks, escapes and `-0` where they may be. */
function spell(value: unknown, seed: number): string {
  let state = seed;
  const below = (limit: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return (state >>> 8) % limit;
  };
  const blank = () => ['', '', ' ', '\n', '\t', '\r\n'][below(6)]!;
  const text = (value: string) => `"${[...value].map(character).join('')}"`;
  const character = (c: string) => {
    if (below(4) === 0) return c.split('').map(unit).join('');
    if (c === '/' && below(2)) return '\\/';
    return JSON.stringify(c).slice(1, -1);
  };
  const unit = (c: string) => {
    const hex = c.charCodeAt(0).toString(16).padStart(4, '0');
    return `\\u${below(2) ? hex : hex.toUpperCase()}`;
  };
  const any = (value: unknown): string => {
    if (typeof value === 'string') return text(value);
    if (value === 0) return below(2) ? '0' : '-0';
    if (typeof value !== 'object' || value === null) return JSON.stringify(value);
    const entries = Object.entries(value as Record<string, unknown>);
    const members = entries.map(([name, inner]) => ({ name, inner, at: below(99) }));
    members.sort((a, b) => a.at - b.at);
    const written = members.map(
      ({ name, inner }) => `${blank()}${text(name)}${blank()}:${blank()}${any(inner)}${blank()}`,
    );
    return `{${written.join()}${written.length ? '' : blank()}}`;
  };
  return `${blank()}${any(value)}${blank()}`;
}

/** An independent canonical form: everything by name, recursively. */
function sorted(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? '';
  const members = Object.entries(value as Record<string, unknown>)
    .filter(([, inner]) => inner !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, inner]) => `${name}=${sorted(inner)}`).join()}}`;
}

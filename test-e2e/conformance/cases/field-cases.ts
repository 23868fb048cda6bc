import { type Case, nameOf } from '../case.ts';
import { type Caller, validatedCase } from '../event-request.ts';
import { bodyOf, bodyWith } from '../valid-bodies.ts';

/** Each value as JSON at each path of a purchase. */
export function valueCases(
  caller: Caller,
  paths: readonly string[],
  values: readonly unknown[],
): Case[] {
  return paths.flatMap((path) =>
    values.map((value) => {
      const source = JSON.stringify(value);
      return validatedCase(caller, `${path}: ${nameOf(source)}`, bodyOf(path, value));
    }),
  );
}

/** Each source text as it is at each path of a purchase. */
export function sourceCases(
  caller: Caller,
  paths: readonly string[],
  sources: readonly string[],
): Case[] {
  return paths.flatMap((path) =>
    sources.map((source) =>
      validatedCase(caller, `${path}: ${nameOf(source)}`, bodyWith(path, source)),
    ),
  );
}

const text = ['ucc', 'newUser.id', 'newUser.name', 'newUser.organizationId', 'invoiceId'];
const inSubscription = ['subscription.id', 'subscription.productKey'];
export const textPaths: readonly string[] = [...text, ...inSubscription];

/** Lengths are counted in code points; nothing is trimmed but keys (design 8). */
export function lengthCases(caller: Caller): Case[] {
  const units = ['a', 'é', '😹', 'e\u0301', '👩‍👩‍👧', '\u0001', ' ', '\u00a0', '\u200b', '\ud83d'];
  const counts = [0, 1, 2, 127, 128, 254, 255, 256, 257, 510, 511];
  const values = units.flatMap((unit) => counts.map((count) => exactly(unit, count)));
  const padded = blanks.flatMap((pad) => [`${pad}x${pad}`, pad.repeat(300)]);
  const odd = [
    'a\0b',
    '\0',
    '\ud800',
    '\udc00x',
    'x\udbff',
    `${'x'.repeat(300)}\0`,
    '\ud83d\ude39',
  ];
  const emails = ['newUser.email'];
  const long = [63, 64, 65, 200, 308, 309, 400].map((n) => `${'a'.repeat(n)}@example.com`);
  return [
    ...valueCases(caller, textPaths, [...new Set([...values, ...padded, ...odd])]),
    ...valueCases(caller, emails, [...long, '', ' ', 'a\0b@example.com', '\ud800@example.com']),
  ];
}

const blanks = [...'\t\n\r \u00a0\u3000\ufeff\u2028'];

/**
 * A key is measured after trimming (4.1 rule 7). Every key here has a character of its own: equal
 * keys would be one request.
 */
export function keyLengthCases(caller: Caller): Case[] {
  let own = 0x20000 + Math.floor(Math.random() * 40_000);
  const key = (count: number) => String.fromCodePoint(own++).repeat(count);
  const values = [
    ...[1, 2, 127, 128, 254, 255, 256, 257, 510].map(key),
    ...blanks.flatMap((pad) => [
      ...[pad, pad.repeat(300), `${pad}${key(1)}${pad}`, `${key(255)}${pad}`],
      ...[
        `${pad.repeat(300)}${key(255)}${pad}`,
        `${pad}${key(256)}`,
        `${key(127)}${pad}${key(127)}`,
      ],
    ]),
    ...['', '\u200b\u200b'.repeat(200), `${key(1)}\0`, '\ud800', `${key(300)}\0`, '\0'],
  ];
  return valueCases(caller, ['idempotencyKey'], values);
}

/** So many code points, from a unit that may be several. */
function exactly(unit: string, count: number): string {
  return [...unit.repeat(count)].slice(0, count).join('');
}

/** Integers are validated by how they are written (4.1 rule 2, design 8). */
export function integerCases(caller: Caller): Case[] {
  const nines = '9'.repeat(30);
  const limits = ['9007199254740990', '9007199254740991', '9007199254740992', '9007199254740993'];
  const sources = [
    ...['0', '-0', '1', '-1', '49', '4900', '00', '01', '-01', '+1', '1.', '.5', '- 1', '0x10'],
    ...[
      '49.00',
      '4900.0',
      '0.0',
      '-0.0',
      '0.5',
      '1e2',
      '1E2',
      '1e+2',
      '1e-2',
      '1E0',
      '0e0',
      '-0e0',
    ],
    ...['1.0e0', '1e400', '-1e400', '1e-400', '100e-2', '4900e0', '9.007199254740991e15'],
    ...limits,
    ...limits.map((limit) => `-${limit}`),
    ...['9007199254740990.6', '9007199254740991.0', '18446744073709551616', '9223372036854775807'],
    ...[
      '9223372036854775808',
      '2147483648',
      '4294967296',
      nines,
      `-${nines}`,
      `${nines}.0`,
      `1${nines}e1`,
    ],
    ...['9'.repeat(400), `-${'9'.repeat(400)}`, '9'.repeat(5_000), `0.${'0'.repeat(400)}`],
    ...[
      '"4900"',
      '"0"',
      '""',
      '"49.00"',
      'null',
      'true',
      'false',
      '[]',
      '[1]',
      '{}',
      '{"amount":1}',
    ],
    ...['NaN', 'Infinity', '-Infinity', '1_000', '1,000', '1n', '１', '"1"'],
  ];
  return sourceCases(caller, ['amount', 'subscription.seatsUsed'], sources);
}

import { currencyCodes } from '../oracle/currency-codes.ts';
import { intervals, type Rule } from '../oracle/event-rules.ts';
import type { Random } from '../random.ts';
import { dateTimes, notDateTimes } from './date-times.ts';
import { mailboxes, notIpv6, notMailboxes } from './emails.ts';
import { naughtyStrings } from './naughty-strings.ts';

type Scalar = Exclude<Rule['is'], 'object'>;

/** The source text of a value that the rule allows, most of the time a dull one. */
export function goodSource(random: Random, is: Scalar): string {
  switch (is) {
    case 'text':
      return quoted(random, goodText(random));
    case 'key': // never twice the same: equal keys would be one request
      return quoted(random, `${random.oneOf(['', ' ', '\t'])}${randomName(random, 24)}`);
    case 'email':
      return quoted(random, random.oneOf(mailboxes));
    case 'date-time':
      return quoted(random, goodDateTime(random));
    case 'currency':
      return quoted(random, random.oneOf([...currencyCodes]));
    case 'interval':
      return quoted(random, random.oneOf([...intervals]));
    case 'amount':
      return random.oneOf(['0', '-0', '4900', '9007199254740991', String(random.below(2 ** 40))]);
    case 'count':
      return random.oneOf(['0', '-0', '12', '9007199254740993', '9'.repeat(1 + random.below(60))]);
  }
}

/** The source text of any value at all; some are good ones, the oracle knows which. */
export function anySource(random: Random): string {
  const words = [
    'null',
    'true',
    'false',
    '{}',
    '[]',
    '""',
    '" "',
    '-1',
    '1.0',
    '1e2',
    '0',
    '[1,[2]]',
  ];
  const texts = [...notDateTimes, ...notMailboxes, ...notIpv6, 'eur', 'EUR', 'ANG', 'fortnightly'];
  const kinds = [
    () => random.oneOf(words),
    () => quoted(random, random.oneOf(texts)),
    () => quoted(random, random.oneOf(naughtyStrings)),
    () => quoted(random, randomText(random, random.oneOf([1, 255, 256, 320, 321]))),
    () => randomNumber(random),
    () => `{${quoted(random, randomName(random, 3))}:${randomNumber(random)}}`,
    () =>
      `${'['.repeat(random.below(34))}`.replace(/^.*$/, (open) => open + ']'.repeat(open.length)),
  ];
  return random.oneOf(kinds)() || 'null';
}

/** The same text in one of the ways in which JSON can write it. */
export function quoted(random: Random, text: string): string {
  if (!random.chance(0.2)) return JSON.stringify(text);
  const units = Array.from({ length: text.length }, (_, i) => text.charCodeAt(i));
  const written = units.map((unit) => {
    const hex = unit.toString(16).padStart(4, '0');
    return `\\u${random.chance(0.5) ? hex : hex.toUpperCase()}`;
  });
  return `"${written.join('')}"`;
}

export function randomName(random: Random, length: number): string {
  return Array.from({ length }, () =>
    random.oneOf([...'abcdefghijklmnopqrstuvwxyz0123456789']),
  ).join('');
}

function goodText(random: Random): string {
  const text = random.chance(0.5) ? randomName(random, 12) : random.oneOf(naughtyStrings);
  if (random.chance(0.1)) return randomText(random, 255);
  return text.includes('\0') || !text.isWellFormed() ? 'plain' : text;
}

function randomText(random: Random, length: number): string {
  const alphabet = random.oneOf([
    ['a'],
    ['é', 'a'],
    ['😹', '🦊'],
    ['a', '😹', '\u0301', '~', '/', '"', '\\'],
  ]);
  return Array.from({ length }, () => random.oneOf(alphabet)).join('');
}

/** The days before the calendar's last matter little to a service; its own clock matters much. */
function goodDateTime(random: Random): string {
  if (random.chance(0.2)) return random.oneOf(dateTimes);
  const hours = random.oneOf([-24, -2_000, -2_300, -1, 1, 48]);
  const at = new Date(Date.now() + (hours + random.below(20) / 60) * 3_600_000 + 900_000);
  return random.oneOf([at.toISOString(), at.toISOString().toLowerCase()]);
}

function randomNumber(random: Random): string {
  const digits = (longest: number) => String(random.below(10 ** (1 + random.below(longest))));
  const fraction = random.oneOf(['', '', '', `.${digits(6)}`, '.0']);
  const exponent = random.oneOf(['', '', '', 'e2', 'E+0', 'e-3', 'e400']);
  const zeros = random.chance(0.05) ? '0' : '';
  return `${random.oneOf(['', '-'])}${zeros}${digits(15)}${fraction}${exponent}`;
}

import { isUtf8 } from 'node:buffer';
import { maxDepth, parsePlainJson } from './plain-json.ts';
import { isSoundJson } from './sound-json.ts';

/**
 * Reads a request body as JSON, strictly (design 8, "Body shape"): fatal UTF-8, no byte order
 * mark, no duplicate keys at any level, at most 32 levels, nothing but RFC 8259.
 *
 * Numbers are validated by their source text, because the contract does (design 8, "Integers"):
 *
 *   written as a whole number, safe      a number (`-0` is 0)
 *   written as a whole number, beyond    a bigint, so that no digit is lost
 *   written with `.` or an exponent      NaN: `49.00` and `1e2` are no integers, and no field of
 *                                        the contract takes anything else
 *
 * `__proto__` and `constructor` are names like any other: only an object's own members count.
 *
 * Most texts are read by JSON.parse after a look at them (plain-json.ts). What is unusual, and
 * whatever is refused, is read in one pass by hand: JSON.parse keeps neither the source text nor
 * the duplicates, and its reviver costs several times as much.
 */
export type StrictJson =
  { outcome: 'json'; value: JsonValue } | { outcome: 'malformed'; detail: string };

export type JsonValue = null | boolean | number | bigint | string | JsonValue[] | JsonObject;
export type JsonObject = { [name: string]: JsonValue };

/**
 * `maxMembers`: when the body is an object with more, the others are validated as JSON, duplicates
 * included, but not kept. For a caller who refuses it anyway: to build them is what costs most.
 */
export function parseStrictJson(bytes: Buffer, maxMembers = Infinity): StrictJson {
  if (!isUtf8(bytes)) return { outcome: 'malformed', detail: 'The body is not valid UTF-8.' };
  const plain = parsePlainJson(bytes, maxMembers);
  if (plain !== undefined) return { outcome: 'json', value: plain };
  const mayHaveMore = bytes.length > maxMembers * bytesOfSmallestMember;
  return parseCarefully(bytes, mayHaveMore && isSoundJson(bytes) ? maxMembers : Infinity);
}

const bytesOfSmallestMember = '"":0,'.length;

/** The same without short cuts; takes valid UTF-8. Past `maxMembers` it does not even look. */
export function parseCarefully(bytes: Buffer, maxMembers = Infinity): StrictJson {
  // (A byte order mark is no value and no blank: the reader refuses it at character 0.)
  // One parse at a time, and synchronous: plain module variables are the fastest cursor.
  text = bytes.toString('utf8');
  at = 0;
  depth = 0;
  maxKept = maxMembers;
  try {
    const value = readValue(skipBlanks());
    skipBlanks();
    if (at < text.length) fail('Nothing may follow the JSON text');
    return { outcome: 'json', value };
  } catch (error) {
    if (error instanceof Malformed) return { outcome: 'malformed', detail: error.message };
    throw error;
  } finally {
    text = '';
  }
}

/** The member names of an object in document order, integer-like names included. */
export function namesInDocumentOrder(object: JsonObject): readonly string[] {
  return reorderedNames.get(object) ?? Object.keys(object);
}

class Malformed extends Error {}

/** JavaScript lists integer-like names first; for objects that have one, the order as written. */
const reorderedNames = new WeakMap<JsonObject, string[]>();

let text = '';
let at = 0;
let depth = 0;
let maxKept = Infinity;

/** Fast like an object literal, yet nothing is inherited but emptiness. */
const JsonDict = function () {} as unknown as new () => JsonObject;
JsonDict.prototype = Object.freeze(Object.create(null) as object);

function readValue(first: number): JsonValue {
  switch (first) {
    case 0x22:
      return readString();
    case 0x7b:
      return readObject();
    case 0x5b:
      return readArray();
    case 0x74:
      return readWord('true', true);
    case 0x66:
      return readWord('false', false);
    case 0x6e:
      return readWord('null', null);
    default:
      return readNumber(first);
  }
}

function readObject(): JsonObject {
  enter();
  const object = new JsonDict();
  let names: string[] | undefined;
  let next = skipBlanks();
  if (next === 0x7d) return leave(object);
  for (let kept = 0; ; kept++) {
    if (kept === maxKept && depth === 1) {
      at = text.length - 1;
      break;
    }
    if (next !== 0x22) fail('A member name in double quotes is expected');
    const name = readString();
    if (object[name] !== undefined) fail('A member name is used twice in one object');
    if (skipBlanks() !== 0x3a) fail('A colon is expected');
    at++;
    const first = name.charCodeAt(0);
    if (names) names.push(name);
    else if (isDigit(first)) names = [...Object.keys(object), name];
    object[name] = readValue(skipBlanks());
    next = skipBlanks();
    if (next === 0x7d) break;
    if (next !== 0x2c) fail('A comma or the end of the object is expected');
    at++;
    next = skipBlanks();
  }
  if (names) reorderedNames.set(object, names);
  return leave(object);
}

function readArray(): JsonValue[] {
  enter();
  const items: JsonValue[] = [];
  let next = skipBlanks();
  if (next === 0x5d) return leave(items);
  for (;;) {
    items.push(readValue(next));
    next = skipBlanks();
    if (next === 0x5d) return leave(items);
    if (next !== 0x2c) fail('A comma or the end of the array is expected');
    at++;
    next = skipBlanks();
  }
}

function enter(): void {
  if (++depth > maxDepth) fail(`The body is nested more than ${maxDepth} levels deep`);
  at++;
}

function leave<T>(value: T): T {
  depth--;
  at++;
  return value;
}

function readString(): string {
  const start = at + 1;
  if (skipPlain(start) === 0x5c) return readEscapedString(start);
  return text.slice(start, at++);
}

/** Leaves the cursor at the next quote or backslash of a string, and gives which it is. */
function skipPlain(from: number): number {
  const whole = text;
  let i = from;
  let c = whole.charCodeAt(i);
  while (c !== 0x22 && c !== 0x5c && c >= 0x20) c = whole.charCodeAt(++i);
  at = i;
  if (!(c >= 0x20)) failInString(c);
  return c;
}

/** From the first backslash on, in chunks. */
function readEscapedString(start: number): string {
  let value = '';
  let chunk = start;
  while (skipPlain(at) === 0x5c) {
    value += text.slice(chunk, at);
    value += readEscape();
    chunk = at;
  }
  value += text.slice(chunk, at++);
  return value;
}

const simpleEscapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

function readEscape(): string {
  const letter = text[at + 1] ?? '';
  if (letter === 'u') {
    const hex = text.slice(at + 2, at + 6);
    if (!/^[0-9a-fA-F]{4}$/.test(hex)) fail('Four hexadecimal digits are expected');
    at += 6;
    return String.fromCharCode(Number.parseInt(hex, 16));
  }
  const character = Object.hasOwn(simpleEscapes, letter) ? simpleEscapes[letter] : undefined;
  if (character === undefined) return fail('There is no such escape');
  at += 2;
  return character;
}

function readNumber(first: number): number | bigint {
  const start = at;
  let c = first;
  if (c === 0x2d) c = text.charCodeAt(++at);
  if (c === 0x30) c = text.charCodeAt(++at);
  else if (c >= 0x31 && c <= 0x39) c = skipDigits();
  else fail('A value is expected');

  let whole = true;
  if (c === 0x2e) {
    whole = false;
    c = text.charCodeAt(++at);
    if (!isDigit(c)) fail('A digit is expected after the point');
    c = skipDigits();
  }
  if (c === 0x65 || c === 0x45) {
    whole = false;
    c = text.charCodeAt(++at);
    if (c === 0x2b || c === 0x2d) c = text.charCodeAt(++at);
    if (!isDigit(c)) fail('A digit is expected in the exponent');
    skipDigits();
  }
  if (!whole) return Number.NaN;
  const digits = text.slice(start, at);
  const value = Number(digits);
  // `+ 0` turns -0 into 0.
  return Number.isSafeInteger(value) ? value + 0 : BigInt(digits);
}

/** Leaves the cursor behind the digits and gives the character there. */
function skipDigits(): number {
  let c = text.charCodeAt(at);
  while (isDigit(c)) c = text.charCodeAt(++at);
  return c;
}

function isDigit(c: number): boolean {
  return c >= 0x30 && c <= 0x39;
}

function readWord<T>(word: string, value: T): T {
  if (!text.startsWith(word, at)) fail('A value is expected');
  at += word.length;
  return value;
}

/** The character the cursor stops at; NaN at the end of the text. */
function skipBlanks(): number {
  const whole = text;
  let i = at;
  let c = whole.charCodeAt(i);
  while (c === 0x20 || c === 0x0a || c === 0x0d || c === 0x09) c = whole.charCodeAt(++i);
  at = i;
  return c;
}

function failInString(c: number): never {
  fail(Number.isNaN(c) ? 'A string is not closed' : 'A control character must be escaped');
}

/** Says where, never what: no message repeats the body. */
function fail(message: string): never {
  throw new Malformed(`${message} (character ${at}).`);
}

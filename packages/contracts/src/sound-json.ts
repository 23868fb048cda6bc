import { createNameTable, firstHash, mixed, withByte } from './name-table.ts';
import { maxDepth } from './plain-json.ts';

/**
 * Whether bytes are JSON by every rule of strict-json.ts, found without building anything: so a
 * body of thousands of unknown members costs no more than a valid one of its size. Takes valid
 * UTF-8. True is certain; false may also mean that the careful reader should look, as at a name
 * with an escape in it.
 */
export function isSoundJson(bytes: Buffer): boolean {
  // One look at a time, and synchronous, as in strict-json.ts.
  source = bytes;
  at = 0;
  depth = 0;
  objects = 0;
  names.clear();
  const sound = skipValue(skipBlanks()) && skipBlanks() === end;
  source = nothing;
  return sound;
}

const nothing = Buffer.alloc(0);
const end = -1;
let source: Buffer = nothing;
let at = 0;
let depth = 0;
/** How many objects have begun: the number of one tells its names from another's. */
let objects = 0;
const names = createNameTable();

/** All of these leave the cursor behind what they took, and give false when it is not sound. */
function skipValue(first: number): boolean {
  switch (first) {
    case 0x22:
      return skipString();
    case 0x7b:
      return skipObject();
    case 0x5b:
      return skipArray();
    case 0x74:
      return skipWord(wordTrue);
    case 0x66:
      return skipWord(wordFalse);
    case 0x6e:
      return skipWord(wordNull);
    default:
      return skipNumber(first);
  }
}

function skipObject(): boolean {
  if (++depth > maxDepth) return false;
  const object = ++objects;
  at++;
  let next = skipBlanks();
  if (next !== 0x7d) {
    for (;;) {
      if (next !== 0x22 || !skipName(object)) return false;
      if (skipBlanks() !== 0x3a) return false;
      at++;
      if (!skipValue(skipBlanks())) return false;
      next = skipBlanks();
      if (next === 0x7d) break;
      if (next !== 0x2c) return false;
      at++;
      next = skipBlanks();
    }
  }
  at++;
  depth--;
  return true;
}

function skipArray(): boolean {
  if (++depth > maxDepth) return false;
  at++;
  let next = skipBlanks();
  if (next !== 0x5d) {
    for (;;) {
      if (!skipValue(next)) return false;
      next = skipBlanks();
      if (next === 0x5d) break;
      if (next !== 0x2c) return false;
      at++;
      next = skipBlanks();
    }
  }
  at++;
  depth--;
  return true;
}

function skipName(object: number): boolean {
  const bytes = source;
  const start = at + 1;
  let hash = firstHash(object);
  let i = start;
  let byte = bytes[i]!;
  while (byte !== 0x22) {
    // The end of the bytes is undefined, which is not above anything.
    if (!(byte >= 0x20) || byte === 0x5c) return false;
    hash = withByte(hash, byte);
    byte = bytes[++i]!;
  }
  at = i + 1;
  return names.add(bytes, object, mixed(hash), start, i);
}

function skipString(): boolean {
  const bytes = source;
  const { length } = bytes;
  for (let i = at + 1; i < length; i++) {
    const byte = bytes[i]!;
    if (byte === 0x22) {
      at = i + 1;
      return true;
    }
    if (byte < 0x20) return false;
    if (byte === 0x5c) {
      i++;
      if (bytes[i] === 0x75) {
        for (const last = i + 4; i < last;) if (!isHexDigit(bytes[++i])) return false;
      } else if (!simpleEscapes.includes(bytes[i] ?? 0)) return false;
    }
  }
  return false;
}

function skipNumber(first: number): boolean {
  let byte = first;
  if (byte === 0x2d) byte = next();
  if (byte === 0x30) byte = next();
  else if (isDigit(byte)) byte = skipDigits();
  else return false;
  if (byte === 0x2e) {
    if (!isDigit(next())) return false;
    byte = skipDigits();
  }
  if (byte === 0x65 || byte === 0x45) {
    byte = next();
    if (byte === 0x2b || byte === 0x2d) byte = next();
    if (!isDigit(byte)) return false;
    skipDigits();
  }
  return true;
}

function skipDigits(): number {
  let byte = next();
  while (isDigit(byte)) byte = next();
  return byte;
}

function next(): number {
  at++;
  return at < source.length ? source[at]! : end;
}

function skipWord(word: Buffer): boolean {
  for (let i = 0; i < word.length; i++) if (source[at + i] !== word[i]) return false;
  at += word.length;
  return true;
}

function skipBlanks(): number {
  const bytes = source;
  const { length } = bytes;
  for (let i = at; i < length; i++) {
    const byte = bytes[i]!;
    if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) continue;
    at = i;
    return byte;
  }
  at = length;
  return end;
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

function isHexDigit(byte = 0): boolean {
  return isDigit(byte) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
}

const [wordTrue, wordFalse, wordNull, simpleEscapes] = ['true', 'false', 'null', '"\\/bfnrt'].map(
  (text) => Buffer.from(text),
) as [Buffer, Buffer, Buffer, Buffer];

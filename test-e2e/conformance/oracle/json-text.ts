import { decodeUtf8 } from './utf8.ts';

/** A JSON text as it was written: numbers as their source, members in order. */
export type Json =
  | { kind: 'null' | 'boolean' }
  | { kind: 'number' | 'string'; text: string }
  | { kind: 'array'; items: Json[] }
  | { kind: 'object'; members: [name: string, value: Json][] };

const deepest = 32;
const number = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/y;
const blank = /[ \t\n\r]*/y;
const plain = /[ !#-[\]-\uffff]*/y;

/**
 * RFC 8259 read production by production, with the refusals of design 8: bad UTF-8, a byte order
 * mark, a name twice in one object, more than 32 levels. Undefined is what the service has to call
 * MALFORMED_JSON.
 */
export function readJson(bytes: Uint8Array): Json | undefined {
  const text = decodeUtf8(bytes);
  if (text === undefined) return undefined;
  try {
    return readDocument(text);
  } catch (error) {
    if (error === malformed) return undefined;
    throw error;
  }
}

const malformed = new Error('malformed');

function readDocument(text: string): Json {
  let at = 0;

  const match = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found === undefined) throw malformed;
    at += found.length;
    return found;
  };
  const takes = (token: string): boolean => {
    if (!text.startsWith(token, at)) return false;
    at += token.length;
    return true;
  };
  const must = (token: string): void => {
    if (!takes(token)) throw malformed;
  };

  function value(level: number): Json {
    if (takes('{')) return object(level);
    if (takes('[')) return array(level);
    if (takes('"')) return { kind: 'string', text: string() };
    if (takes('null')) return { kind: 'null' };
    if (takes('true') || takes('false')) return { kind: 'boolean' };
    return { kind: 'number', text: match(number) };
  }

  function object(level: number): Json {
    const members: [string, Json][] = [];
    const names = new Set<string>();
    list(level, '}', () => {
      must('"');
      const name = string();
      if (names.has(name)) throw malformed;
      names.add(name);
      match(blank);
      must(':');
      match(blank);
      members.push([name, value(level + 1)]);
    });
    return { kind: 'object', members };
  }

  function array(level: number): Json {
    const items: Json[] = [];
    list(level, ']', () => items.push(value(level + 1)));
    return { kind: 'array', items };
  }

  function list(level: number, close: string, item: () => void): void {
    if (level > deepest) throw malformed;
    match(blank);
    if (takes(close)) return;
    do {
      match(blank);
      item();
      match(blank);
    } while (takes(','));
    must(close);
  }

  function string(): string {
    let read = '';
    for (;;) {
      read += match(plain);
      if (takes('"')) return read;
      must('\\');
      read += takes('u') ? String.fromCharCode(hex()) : simpleEscape();
    }
  }

  function simpleEscape(): string {
    const meant = escapes[text[at] ?? ''];
    if (meant === undefined) throw malformed;
    at += 1;
    return meant;
  }

  const hex = (): number => Number.parseInt(match(/[0-9a-fA-F]{4}/y), 16);

  match(blank);
  const root = value(1);
  match(blank);
  if (at < text.length) throw malformed;
  return root;
}

const escapes: Record<string, string> = {
  ...{ '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' },
};

import type { Answer } from '../domain/outcome.ts';
import { removed, type Scrub } from './scrub.ts';

/** What undici hands over; a name that came several times has an array. */
export type AnswerHeaders = Record<string, string | string[] | undefined>;

/** As much of an answer's body is kept, in bytes as they came. */
export const keptBodyBytes = 4 * 1024;
const keptHeaders = 64;
const keptHeaderName = 128;
const keptHeaderValue = 512;
const keptHeaderText = 8 * 1024;

/**
 * What the attempts log keeps of an answer: bounded, without credentials, and harmless to a
 * database (no NUL), to a terminal (no control characters) and to whoever reads it (no session
 * cookies).
 */
export function keepAnswer(read: {
  statusCode: number;
  headers: AnswerHeaders;
  /** The first bytes of the body, with `scrub.longestBytes` beyond what is kept. */
  start: readonly Buffer[];
  /** The whole body was longer than `start`, or broke off. */
  incomplete: boolean;
  scrub: Scrub;
}): Answer {
  const { statusCode, headers, start, incomplete, scrub } = read;
  const body = start.length === 0 ? '' : textOf(start, headers, scrub);
  const bytes = start.reduce((sum, chunk) => sum + chunk.length, 0);
  return {
    statusCode,
    headers: keepHeaders(headers, scrub),
    body,
    cut: incomplete || bytes > keptBodyBytes || (bytes > 0 && isEncoded(headers)),
  };
}

/** We ask for no encoding. What is encoded all the same is not unpacked: it may be a bomb. */
function isEncoded(headers: AnswerHeaders): boolean {
  const encoding = first(headers['content-encoding'])?.trim().toLowerCase();
  return encoding !== undefined && encoding !== '' && encoding !== 'identity';
}

function textOf(start: readonly Buffer[], headers: AnswerHeaders, scrub: Scrub): string {
  if (isEncoded(headers)) return '';
  const bytes = start.length === 1 ? start[0]! : Buffer.concat(start);
  const text = bytes.toString('utf8');
  if (bytes.length <= keptBodyBytes) return cutToBytes(harmless(scrub.clean(text)), keptBodyBytes);
  const end = bytes.toString('utf8', 0, keptBodyBytes).length;
  return cutToBytes(harmless(scrub.clean(text, end)), keptBodyBytes);
}

function keepHeaders(headers: AnswerHeaders, scrub: Scrub): (readonly [string, string])[] {
  const kept: (readonly [string, string])[] = [];
  let length = 0;
  for (const [name, values] of Object.entries(headers)) {
    for (const value of Array.isArray(values) ? values : [values ?? '']) {
      const pair = keepHeader(name, value, scrub);
      length += pair[0].length + pair[1].length;
      if (kept.length === keptHeaders || length > keptHeaderText) return kept;
      kept.push(pair);
    }
  }
  return kept;
}

function keepHeader(name: string, value: string, scrub: Scrub): readonly [string, string] {
  const keptName = harmless(scrub.clean(name)).slice(0, keptHeaderName);
  if (secretHeaders.has(name.toLowerCase())) return [keptName, removed];
  return [keptName, harmless(scrub.clean(value)).slice(0, keptHeaderValue)];
}

const secretHeaders = new Set([
  'set-cookie',
  'set-cookie2',
  'cookie',
  'authorization',
  'proxy-authorization',
]);

/** Control characters but for tab and line ends; bytes that are not UTF-8 are U+FFFD already. */
function harmless(text: string): string {
  return text.replace(controls, '\ufffd');
}
// eslint-disable-next-line no-control-regex -- they are what is looked for
const controls = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;

/** Cuts where a character ends. */
function cutToBytes(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes));
  return text.slice(0, read);
}

export function first(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

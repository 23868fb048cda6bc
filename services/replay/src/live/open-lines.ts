import type { GeneralProblem } from '@tributary/contracts/problem';
import { fetchInternal } from '@tributary/http/fetch-internal';

/** Whom to ask, on its internal listener. */
export type Asked = { service: string; baseUrl: string; token: string };

export type LineQuery = {
  method: 'GET' | 'POST';
  /** Below `/internal/`. */
  path: string;
  query: Readonly<Record<string, string | number | undefined>>;
  body?: unknown;
  /** Ends the request, also while the answer is read. */
  signal: AbortSignal;
};

/** A long answer of lines of JSON, of which the first has come. */
export type OpenLines = {
  outcome: 'open';
  header: unknown;
  /** What follows the first line. */
  rest: AsyncIterable<Uint8Array>;
  /** Leaves the answer as far as it has come; the other side notices. */
  close(): void;
};

export type NotNow = { outcome: 'not-now'; detail: string };

/**
 * Asks for an answer that comes in lines. Nobody there, a connection that breaks and a 503 are
 * `not-now`: all of them may be otherwise in a while.
 *
 * @throws when the other side answers otherwise, or when `signal` is aborted.
 */
export async function openLines(asked: Asked, query: LineQuery): Promise<OpenLines | NotNow> {
  const { service } = asked;
  const left = new AbortController();
  const signal = AbortSignal.any([query.signal, left.signal]);
  try {
    const response = await fetchInternal(asked.baseUrl, pathOf(query), {
      method: query.method,
      headers: { authorization: `Bearer ${asked.token}`, 'content-type': 'application/json' },
      ...(query.method === 'POST' && { body: JSON.stringify(query.body ?? {}) }),
      signal,
    });
    if (response.status !== 200 || !response.body) return await refusal(service, response);
    const bytes = (response.body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
    const { line, behind } = await readFirstLine(bytes);
    const rest = continued(behind, bytes);
    return { outcome: 'open', header: JSON.parse(line), rest, close: () => left.abort() };
  } catch (error) {
    left.abort();
    query.signal.throwIfAborted();
    if (error instanceof NotUnderstood) throw error;
    const cause = error instanceof Error ? error.message : String(error);
    return { outcome: 'not-now', detail: `${service} could not be asked: ${cause}.` };
  }
}

/** The other side is of another release, or set up otherwise; trying again is of no use. */
export class NotUnderstood extends Error {}

function pathOf({ path, query }: LineQuery): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}

async function refusal(service: string, response: Response): Promise<NotNow> {
  const text = await response.text();
  if (response.status !== 503) {
    throw new NotUnderstood(`${service} answered with status ${response.status}: ${text}`);
  }
  const { detail } = problemOf(text);
  return { outcome: 'not-now', detail: detail ?? `${service} answered with ${response.status}.` };
}

function problemOf(text: string): Partial<GeneralProblem> {
  try {
    return JSON.parse(text) as Partial<GeneralProblem>;
  } catch {
    return {};
  }
}

async function readFirstLine(
  bytes: AsyncIterator<Uint8Array>,
): Promise<{ line: string; behind: Uint8Array }> {
  let seen = Buffer.alloc(0);
  for (;;) {
    const next = await bytes.next();
    if (next.done === true) throw new Error('the answer ended before its first line');
    seen = Buffer.concat([seen, next.value]);
    const end = seen.indexOf(newline);
    if (end >= 0) return { line: seen.toString('utf8', 0, end), behind: seen.subarray(end + 1) };
  }
}

const newline = 10;

async function* continued(
  first: Uint8Array,
  bytes: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, void, void> {
  if (first.length > 0) yield first;
  for (;;) {
    const next = await bytes.next();
    if (next.done === true) return;
    yield next.value;
  }
}

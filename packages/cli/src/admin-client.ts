import type { Method } from '@tributary/contracts/admin/admin-route';
import { request } from 'undici';
import type { Connection } from './connection.ts';
import { NoAnswer, type Problem, Refused } from './failures.ts';

export type Answer<B = Record<string, unknown>> = { status: number; body: B };

/** A body as its exact text: where numbers count as they are written, parsing would lose that. */
export class JsonText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }

  /** What a person has written in a file, for the admin API to validate. */
  static of(value: object): JsonText {
    return new JsonText(JSON.stringify(value));
  }
}

/** One request to the admin API. `path` holds encoded segments. */
export type AdminClient = (
  method: Method,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<Answer>;

/** Longer than the portal waits for the slowest it asks: an endpoint that is sent a test. */
const timeoutMs = 30_000;

/** @throws {Refused} for a problem answer, {NoAnswer} when there is none of the admin API. */
export function createAdminClient({ baseUrl, token }: Connection): AdminClient {
  return async (method, path, body, more = {}) => {
    // POST /token is asked with the key in its body, without a token.
    const headers = { ...(token !== '' && { authorization: `Bearer ${token}` }), ...more };
    const { status, text } = await exchange(baseUrl, headers, method, path, body);
    const parsed = parseObject(text);
    if (status >= 200 && status < 300 && parsed !== undefined) return { status, body: parsed };
    if (parsed !== undefined && isProblem(parsed)) throw new Refused(parsed);
    throw new NoAnswer(
      `${baseUrl} answered with status ${status}, but not like the admin API of Tributary. ` +
        'Check the address (--url or TRIBUTARY_ADMIN_URL): it is the one in front of /api.',
    );
  };
}

async function exchange(
  baseUrl: string,
  headers: Readonly<Record<string, string>>,
  method: Method,
  path: string,
  body: unknown,
): Promise<{ status: number; text: string }> {
  try {
    const response = await request(`${baseUrl}${path}`, {
      method,
      headers: {
        ...headers,
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : textOf(body),
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    });
    return { status: response.statusCode, text: await response.body.text() };
  } catch (error) {
    throw unreachable(baseUrl, error);
  }
}

function unreachable(baseUrl: string, error: unknown): NoAnswer {
  return new NoAnswer(
    `Cannot reach the admin API at ${baseUrl} (${reasonOf(error)}). ` +
      'Is it running? `npm start` starts it here; name another address with --url or TRIBUTARY_ADMIN_URL.',
    { cause: error },
  );
}

/**
 * The data of a stream of server-sent events, until it ends, breaks after its first event, or is
 * given up by `signal`.
 *
 * @throws {Refused} {NoAnswer} when it cannot be opened.
 */
export async function* openStream(
  { baseUrl, token }: Connection,
  path: string,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' };
  let hasBegun = false;
  try {
    const { statusCode, body } = await request(`${baseUrl}${path}`, { headers, signal });
    if (statusCode !== 200) {
      const parsed = parseObject(await body.text());
      if (parsed !== undefined && isProblem(parsed)) throw new Refused(parsed);
      throw new NoAnswer(`${baseUrl} answered with status ${statusCode}.`);
    }
    let text = '';
    for await (const part of body.setEncoding('utf8')) {
      const events = (text + String(part)).split('\n\n');
      text = events.pop() ?? '';
      for (const event of events) {
        const data = event.split('\n').filter((line) => line.startsWith('data:'));
        hasBegun = true;
        if (data.length > 0) yield data.map((line) => line.slice('data:'.length)).join('\n');
      }
    }
  } catch (error) {
    if (error instanceof Refused || error instanceof NoAnswer) throw error;
    if (!signal.aborted && !hasBegun) throw unreachable(baseUrl, error);
  }
}

function textOf(body: unknown): string {
  return body instanceof JsonText ? body.text : JSON.stringify(body);
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the host name cannot be looked up now',
  ECONNRESET: 'the connection was cut',
  UND_ERR_SOCKET: 'the connection was cut',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  UND_ERR_HEADERS_TIMEOUT: 'no answer in time',
  UND_ERR_BODY_TIMEOUT: 'the answer did not end in time',
};

function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string };
  return reasons[code ?? ''] ?? code ?? message ?? 'unknown reason';
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null
      ? (parsed as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

function isProblem(body: Record<string, unknown>): body is Problem & Record<string, unknown> {
  const texts = ['code', 'title', 'detail'].every((name) => typeof body[name] === 'string');
  const { errors } = body;
  return (
    texts && typeof body['status'] === 'number' && (errors === undefined || Array.isArray(errors))
  );
}

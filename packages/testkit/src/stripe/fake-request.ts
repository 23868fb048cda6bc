import type { IncomingMessage } from 'node:http';
import { StripeRefusal } from './stripe-refusal.ts';

/** One request as it came. */
export type StripeRequest = {
  method: string;
  /** Without the query. */
  path: string;
  /** Names as sent, without the index of lists: `created[gte]`, `expand[]`. */
  query: Record<string, string>;
  /** Form fields of the body, named likewise (`metadata[a]`). */
  form: Record<string, string>;
  /** All values of `expand[]`, of the query or the body. */
  expand: string[];
  apiVersion: string;
  apiKey: string;
  idempotencyKey: string | undefined;
  /** What was answered; undefined while it waits, and when it never was. */
  status: number | undefined;
};

/** Which requests; all when empty. A path is exact, or a pattern. */
export type RequestMatch = { method?: string; path?: string | RegExp; apiKey?: string };

export function matches(request: StripeRequest, match: RequestMatch): boolean {
  const { method, path, apiKey } = match;
  if (apiKey !== undefined && apiKey !== request.apiKey) return false;
  if (method !== undefined && method !== request.method) return false;
  if (path === undefined) return true;
  return typeof path === 'string' ? path === request.path : path.test(request.path);
}

export async function readRequest(
  message: IncomingMessage,
  defaultApiVersion: string,
): Promise<StripeRequest> {
  const url = new URL(message.url ?? '/', 'http://fake');
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  const form = new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
  const version = message.headers['stripe-version'];
  const idempotencyKey = message.headers['idempotency-key'];
  return {
    ...{ method: message.method ?? 'GET', path: url.pathname },
    ...{ query: toRecord(url.searchParams), form: toRecord(form) },
    expand: [...url.searchParams, ...form]
      .filter(([name]) => /^expand\[\d*\]$/.test(name))
      .map(([, value]) => value),
    apiVersion: typeof version === 'string' ? version : defaultApiVersion,
    apiKey: keyOf(message.headers.authorization),
    idempotencyKey: typeof idempotencyKey === 'string' ? idempotencyKey : undefined,
    status: undefined,
  };
}

/** Names each value of a list (`expand[0]`, `expand[]`) apart: `expand[0]`, `expand[1]`. */
function toRecord(parameters: URLSearchParams): Record<string, string> {
  const record: Record<string, string> = {};
  for (const [name, value] of parameters) {
    const list = /^(.*)\[\d*\]$/.exec(name)?.[1];
    const taken = Object.keys(record).filter((other) => other.startsWith(`${list}[`)).length;
    record[list === undefined ? name : `${list}[${taken}]`] = value;
  }
  return record;
}

/** `Bearer rk_test_…`, or the user name of Basic. '' when there is none. */
function keyOf(authorization: string | undefined): string {
  const [scheme = '', value = ''] = (authorization ?? '').split(' ');
  if (scheme.toLowerCase() === 'bearer') return value;
  if (scheme.toLowerCase() !== 'basic') return '';
  return Buffer.from(value, 'base64').toString('utf8').split(':')[0] ?? '';
}

/** The values of a list of the form: `enabled_events[0]`, `enabled_events[1]`. */
export function listOf(form: Record<string, string>, name: string): string[] {
  const fields = Object.entries(form).filter(([field]) => field.startsWith(`${name}[`));
  return fields.map(([, value]) => value);
}

/** The members of an object of the form: `metadata[a]`. */
export function membersOf(form: Record<string, string>, name: string): Record<string, string> {
  const fields = Object.entries(form).filter(([field]) => field.startsWith(`${name}[`));
  return Object.fromEntries(
    fields.map(([field, value]) => [field.slice(name.length + 1, -1), value]),
  );
}

/** The form may hold these, lists and objects too. */
export function refuseUnknown(form: Record<string, string>, known: readonly string[]): void {
  for (const field of Object.keys(form)) {
    const name = field.split('[')[0] ?? field;
    if (known.includes(name) || name === 'expand') continue;
    const message = `Received unknown parameter: ${name}`;
    throw new StripeRefusal(400, { message, code: 'parameter_unknown', param: name });
  }
}

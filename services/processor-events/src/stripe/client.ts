import { Stripe } from 'stripe';
import type { Refusal, StripeAccount, StripeLimit } from './api.ts';
import type { Pace } from './pace.ts';
import { refusalOf } from './refusal-of.ts';

/** An answer of Stripe's as it is; 404 of an object is its own outcome. */
export type StripeAnswer = { outcome: 'raw'; raw: unknown } | { outcome: 'absent' } | Refused;

/** `replayed`: Stripe repeated what it had answered to this Idempotency-Key before. */
type Refused = Refusal & { replayed?: boolean };

export type StripeClient = {
  get(account: StripeAccount, path: string, query?: Query): Promise<StripeAnswer>;
  post(
    account: StripeAccount,
    path: string,
    asked: { params: Record<string, unknown>; idempotencyKey: string },
  ): Promise<StripeAnswer>;
  remove(account: StripeAccount, path: string): Promise<StripeAnswer>;
};

/** Names as Stripe has them, `payment[type]` and `expand[]` too. */
export type Query = Readonly<Record<string, string | number>>;

export type StripeClientSettings = {
  url: string;
  timeoutMs: number;
  pace: Pace;
  /** For metrics. */
  onLimited?: (limit: StripeLimit) => void;
};

/**
 * Stripe's library, for requests whose shapes are those of the connection's API version and not of
 * the library's: raw requests. It sends no telemetry and repeats nothing: the fetch worker does.
 *
 * It goes through fetch because its client over node:http has no deadline for a whole exchange, and
 * none at all for making a connection. A redirect is never followed, as the key would go along.
 */
export function createStripeClient(settings: StripeClientSettings): StripeClient {
  const { pace } = settings;
  const { hostname, port, protocol } = new URL(settings.url);
  const scheme = protocol === 'http:' ? 'http' : 'https';
  const stripe = new Stripe('', {
    // Every request names its key; one that does not must not go out with another's.
    authenticator: () => Promise.reject(new Error('a request to Stripe names no key')),
    host: hostname,
    port: port === '' ? defaultPorts[scheme] : Number(port),
    protocol: scheme,
    telemetry: false,
    maxNetworkRetries: 0,
    timeout: settings.timeoutMs,
    httpClient: Stripe.createFetchHttpClient((input, init) =>
      fetch(input, { ...init, redirect: 'manual' }),
    ),
  });

  async function send(
    account: StripeAccount,
    method: string,
    path: string,
    asked: { query?: Query | undefined; params?: object; idempotencyKey?: string } = {},
  ): Promise<StripeAnswer> {
    const { query = {}, params, idempotencyKey } = asked;
    const { apiKey, apiVersion } = account;
    const notNow = await pace.wait(account, method, path);
    if (notNow) return notNow;
    try {
      const raw: unknown = await stripe.rawRequest(
        method,
        `/v1/${path}${searchOf(query)}`,
        params,
        {
          apiKey,
          apiVersion,
          ...(idempotencyKey !== undefined && { idempotencyKey }),
        },
      );
      return mistakeOfStatus(raw) ?? { outcome: 'raw', raw };
    } catch (error) {
      return noted(account, refusalOf(error, account));
    }
  }

  function noted(account: StripeAccount, answer: StripeAnswer): StripeAnswer {
    if (answer.outcome === 'later' && answer.limit) {
      pace.limited(account, answer.afterMs);
      settings.onLimited?.(answer.limit);
    }
    return answer;
  }

  return {
    get: (account, path, query) => send(account, 'GET', path, { query }),
    post: (account, path, asked) => send(account, 'POST', path, asked),
    remove: (account, path) => send(account, 'DELETE', path),
  };
}

/** One segment of a path; undefined when there can be no such object. */
export function segmentOf(id: string): string | undefined {
  // Dots alone would be a step in the path, encoded or not.
  return /^\.*$/.test(id) ? undefined : encodeURIComponent(id);
}

const defaultPorts = { http: 80, https: 443 };

/** The library takes any JSON without a member `error` for a success, also that of a 503. */
function mistakeOfStatus(raw: unknown): Refusal | undefined {
  const { lastResponse } = (raw ?? {}) as { lastResponse?: { statusCode?: number } };
  const status = lastResponse?.statusCode ?? 0;
  if (status >= 200 && status < 300) return undefined;
  return { outcome: 'later', detail: `Stripe answered with status ${status} and no explanation.` };
}

function searchOf(query: Query): string {
  const given = Object.entries(query).map(
    ([name, value]) => [name, String(value)] as [string, string],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
}

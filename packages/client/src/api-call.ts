import type { Exchange } from './exchange.ts';
import { type Answer, failed, type Outcome } from './failure.ts';
import { type RetryLimits, withRetries } from './retry.ts';
import type { CallOptions } from './settings.ts';
import { createTokenCache, tokenOperation } from './token-cache.ts';
import type { TokenRequest } from './wire-types.ts';

export type ApiRequest<T> = {
  operation: string;
  method: 'GET' | 'POST';
  path: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
  idempotencyKey?: string | undefined;
  /** The value of an answer that the operation may have; undefined for every other answer. */
  read: (answer: Answer) => { value: T } | undefined;
};

export type ApiCall = {
  call<T>(request: ApiRequest<T>, options: CallOptions): Promise<T>;
  accessToken(options: CallOptions): Promise<string>;
};

/** Calls of the API in the name of one access key, each with its attempts. */
export function createApiCall(deps: {
  baseUrl: string;
  accessKey: TokenRequest;
  exchange: Exchange;
  limits: RetryLimits;
}): ApiCall {
  const { baseUrl, accessKey, exchange, limits } = deps;
  const tokens = createTokenCache(() =>
    exchange({
      operation: tokenOperation,
      url: `${baseUrl}/token`,
      method: 'POST',
      headers: jsonBody,
      body: JSON.stringify(accessKey),
    }),
  );

  async function call<T>(request: ApiRequest<T>, options: CallOptions): Promise<T> {
    const { operation, idempotencyKey } = request;
    const { signal } = options;
    let mayRenew = true;
    return withRetries(
      { operation, limits: limitsOf(options), signal, idempotencyKey },
      async (within): Promise<Outcome<T>> => {
        const token = await tokens.get(within);
        if (!token.ok) return token;
        const outcome = await send(request, token.value, within);
        if (!outcome.ok || outcome.value.status !== 401 || !mayRenew)
          return evaluate(request, outcome);
        // The token may have been revoked, or its signing key: once with a new one, at once.
        mayRenew = false;
        tokens.drop(token.value);
        const renewed = await tokens.get(within);
        if (!renewed.ok) return renewed;
        return evaluate(request, await send(request, renewed.value, within));
      },
    );
  }

  function send(
    { operation, method, path, headers, body }: ApiRequest<unknown>,
    token: string,
    signal: AbortSignal,
  ) {
    return exchange(
      {
        operation,
        url: `${baseUrl}${path}`,
        method,
        headers: {
          ...(body === undefined ? {} : jsonBody),
          ...headers,
          authorization: `Bearer ${token}`,
        },
        body,
      },
      signal,
    );
  }

  function limitsOf({ maxAttempts, deadlineMs }: CallOptions): RetryLimits {
    return {
      maxAttempts: maxAttempts ?? limits.maxAttempts,
      deadlineMs: deadlineMs ?? limits.deadlineMs,
    };
  }

  return {
    call,
    accessToken: (options) =>
      withRetries(
        { operation: tokenOperation, limits: limitsOf(options), signal: options.signal },
        (within) => tokens.get(within),
      ),
  };
}

const jsonBody = { 'content-type': 'application/json' };

function evaluate<T>({ operation, read }: ApiRequest<T>, outcome: Outcome<Answer>): Outcome<T> {
  if (!outcome.ok) return outcome;
  const reading = read(outcome.value);
  if (reading === undefined) return failed({ operation, kind: 'answer', answer: outcome.value });
  return { ok: true, value: reading.value };
}

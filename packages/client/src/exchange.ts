import { type Answer, failed, type Outcome } from './failure.ts';
import { limitTime, timeUp } from './time-limit.ts';

export type Request = {
  /** What is asked, for people: without anybody's id. */
  operation: string;
  url: string;
  method: 'GET' | 'POST';
  headers: Readonly<Record<string, string>>;
  body?: string | undefined;
};

export type Exchange = (request: Request, signal?: AbortSignal) => Promise<Outcome<Answer>>;

/**
 * One request and its whole answer, within `timeoutMs`. A failure of the network is an outcome;
 * what is thrown is the caller's own abort, or a request that cannot be sent at all. Redirects are
 * not followed: one could lead a key pair or a token to another server.
 */
export function createExchange(options: {
  fetch: typeof globalThis.fetch;
  timeoutMs: number;
}): Exchange {
  return async ({ operation, url, method, headers, body }, signal) => {
    // Outside of the try: a header that HTTP does not allow is no failure of the network.
    const init: RequestInit = { method, headers: new Headers(headers), redirect: 'manual' };
    if (body !== undefined) init.body = body;
    const time = limitTime(signal, options.timeoutMs);
    try {
      time.signal.throwIfAborted();
      const response = await options.fetch(url, { ...init, signal: time.signal });
      const text = await response.text();
      return { ok: true, value: { status: response.status, headers: response.headers, text } };
    } catch (cause) {
      if (!time.signal.aborted) {
        return failed({ operation, kind: 'no-answer', timedOut: false, cause });
      }
      if (time.signal.reason !== timeUp) throw time.signal.reason;
      return failed({ operation, kind: 'no-answer', timedOut: true, cause: timeUp });
    } finally {
      time.release();
    }
  };
}

import { type Answer, failed, type Outcome, parseObject } from './failure.ts';
import { waitFor } from './time-limit.ts';

/**
 * The access token, kept until it expires (interface 5 rule 3). At most one request for a token is
 * under way, whoever asks; nobody's abort ends it, since others may wait for the same one. A
 * failure is told to all who wait and not kept.
 */
export type TokenCache = {
  get(signal: AbortSignal): Promise<Outcome<string>>;
  /** Forgets a token that was refused. A newer one stays: another call may have fetched it. */
  drop(token: string): void;
};

export function createTokenCache(requestToken: () => Promise<Outcome<Answer>>): TokenCache {
  let kept: { token: string; untilMs: number } | undefined;
  let underWay: Promise<Outcome<string>> | undefined;

  async function refresh(): Promise<Outcome<string>> {
    // From before the request, as the service's clock starts somewhere between.
    const askedMs = performance.now();
    const outcome = await requestToken();
    if (!outcome.ok) return outcome;
    const issued = readToken(outcome.value);
    if (issued === undefined) {
      return failed({ operation: tokenOperation, kind: 'answer', answer: outcome.value });
    }
    const lifetimeMs = issued.expiresIn * 1_000;
    const untilMs = askedMs + lifetimeMs - Math.min(longestMarginMs, lifetimeMs / 10);
    kept = { token: issued.accessToken, untilMs };
    return { ok: true, value: issued.accessToken };
  }

  return {
    async get(signal) {
      if (kept !== undefined && performance.now() < kept.untilMs) {
        return { ok: true, value: kept.token };
      }
      underWay ??= refresh().finally(() => (underWay = undefined));
      return waitFor(underWay, signal);
    },
    drop(token) {
      if (kept?.token === token) kept = undefined;
    },
  };
}

export const tokenOperation = 'POST /token';

/** A token is not used in its last half minute: a request takes time, too. */
const longestMarginMs = 30_000;

function readToken(answer: Answer): { accessToken: string; expiresIn: number } | undefined {
  if (answer.status !== 201) return undefined;
  const { accessToken, expiresIn } = parseObject(answer.text) ?? {};
  if (typeof accessToken !== 'string' || typeof expiresIn !== 'number') return undefined;
  // RFC 6750 2.1; anything else cannot be sent, and the error of trying would show it.
  if (!/^[\w.~+/-]+=*$/.test(accessToken)) return undefined;
  return { accessToken, expiresIn };
}

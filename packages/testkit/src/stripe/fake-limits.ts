import { setTimeout as delay } from 'node:timers/promises';
import type { StripeRequest } from './fake-request.ts';
import { rateLimited } from './stripe-refusal.ts';

export type FakeLimits = {
  /** How long every answer takes; a refusal for a limit comes at once. Default 0. */
  latencyMs?: number;
  /** Requests per second of one key, as of an account at Stripe. Default: any number. */
  perSecond?: number;
  /** The same of one endpoint: a method and a path without its ids. Default: any number. */
  endpointPerSecond?: number;
};

/** What came since the fake was started. */
export type Traffic = {
  /** Requests under way together, at most. */
  mostAtOnce: number;
  /** Requests over a limit, answered with 429. */
  refused: number;
};

/**
 * Limits as Stripe has them (https://docs.stripe.com/rate-limits): a token bucket with a second's
 * worth for each account, and one for each of its endpoints. 429 names the one that was empty in
 * `Stripe-Rate-Limited-Reason`.
 */
export function createLimits({ latencyMs = 0, perSecond, endpointPerSecond }: FakeLimits) {
  const takeOfAccount = createBuckets(perSecond);
  const takeOfEndpoint = createBuckets(endpointPerSecond);
  const traffic: Traffic = { mostAtOnce: 0, refused: 0 };
  let atOnce = 0;

  function take({ apiKey, method, path }: StripeRequest): void {
    const reason = !takeOfAccount(apiKey)
      ? 'global-rate'
      : !takeOfEndpoint(`${apiKey} ${endpointOf(method, path)}`)
        ? 'endpoint-rate'
        : undefined;
    if (reason === undefined) return;
    traffic.refused += 1;
    throw rateLimited({ reason });
  }

  return {
    traffic: (): Traffic => ({ ...traffic }),
    /** @throws StripeRefusal */
    take,
    /** One exchange, counted among those at once. */
    async during<T>(work: () => Promise<T>): Promise<T> {
      atOnce += 1;
      traffic.mostAtOnce = Math.max(traffic.mostAtOnce, atOnce);
      try {
        return await work();
      } finally {
        atOnce -= 1;
      }
    },
    answerIsDue: () => (latencyMs > 0 ? delay(latencyMs) : Promise.resolve()),
  };
}

function createBuckets(perSecond: number | undefined): (key: string) => boolean {
  const buckets = new Map<string, { tokens: number; atMs: number }>();
  return (key) => {
    if (perSecond === undefined) return true;
    const now = performance.now();
    const { tokens: left, atMs } = buckets.get(key) ?? { tokens: perSecond, atMs: now };
    const tokens = Math.min(perSecond, left + ((now - atMs) / 1_000) * perSecond);
    buckets.set(key, { tokens: tokens >= 1 ? tokens - 1 : tokens, atMs: now });
    return tokens >= 1;
  };
}

/** A method and a path, whatever its ids: `GET /v1/customers/{id}`. */
function endpointOf(method: string, path: string): string {
  const name = path.replace(/^(\/v1\/(?:checkout\/)?(?!checkout\/)\w+\/)[^/]+/, '$1{id}');
  return `${method} ${name}`;
}

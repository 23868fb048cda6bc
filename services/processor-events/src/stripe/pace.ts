import { setTimeout as delay } from 'node:timers/promises';
import { endpointOf, type StripeRates } from '../domain/stripe-rates.ts';
import type { Refusal, StripeAccount } from './api.ts';

/**
 * When requests to Stripe go. Turns are taken of one table, so that all processes together keep
 * within the rates; a connection that Stripe has limited waits for a moment, and those of its
 * requests that wait for their turn here are given back instead of being refused in their turn.
 */
export type Pace = {
  /** Waits for the turn of a request; gives an answer when it is not to be made now. */
  wait(account: StripeAccount, method: string, path: string): Promise<Refusal | undefined>;
  /** Stripe has limited the account. */
  limited(account: StripeAccount, afterMs: number | undefined): void;
};

export type TakeTurn = (
  request: { connectionId: string; endpoint: string },
  options: { rates: StripeRates; mostMs: number },
) => Promise<number | undefined>;

/** Nobody waits longer: a lease would end, or a person lose patience. */
const mostMs = 5_000;
/** The fetch worker lets its connection rest by itself, and longer with each failure. */
const shortRestMs = 1_000;

export function createPace(options: {
  rates: StripeRates;
  takeTurn: TakeTurn;
  nowMs?: () => number;
}): Pace {
  const { rates, takeTurn, nowMs = () => performance.now() } = options;
  const limits = new Map<string, { times: number; restUntilMs: number }>();
  const timesOf = (connectionId: string) => limits.get(connectionId)?.times ?? 0;

  return {
    async wait({ connectionId }, method, path) {
      const restMs = (limits.get(connectionId)?.restUntilMs ?? 0) - nowMs();
      if (restMs > 0) return later(limitedDetail, restMs);
      const before = timesOf(connectionId);
      const request = { connectionId, endpoint: endpointOf(method, path) };
      const waitMs = await takeTurn(request, { rates, mostMs }).catch(() => 'unknown' as const);
      if (waitMs === 'unknown') return later('The database cannot be asked.', shortRestMs);
      if (waitMs === undefined) return later('Too many questions wait for Stripe.', shortRestMs);
      if (waitMs >= 1) await delay(waitMs);
      return timesOf(connectionId) === before ? undefined : later(limitedDetail, shortRestMs);
    },
    limited({ connectionId }, afterMs = shortRestMs) {
      const restMs = Math.min(Math.max(afterMs, shortRestMs), mostMs);
      const times = timesOf(connectionId) + 1;
      limits.set(connectionId, { times, restUntilMs: nowMs() + restMs });
    },
  };
}

const limitedDetail = 'Stripe has limited the account.';

function later(detail: string, afterMs: number): Refusal {
  return { outcome: 'later', afterMs: Math.ceil(afterMs), detail, unasked: true };
}

import { createHmac } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { patiently } from '../patience.ts';
import type { StripeEvent } from './account-state.ts';
import type { StripeShape } from './api-version.ts';

export type SignatureOptions = {
  /** One v1 signature per secret, as while a secret is rolled. */
  secrets: readonly string[];
  /** Unix seconds; default this machine's clock. */
  timestamp?: number;
  /** Further parts of the header, in front, e.g. `v0=…`. */
  extra?: readonly string[];
};

/** The value of `Stripe-Signature`: `t=…,v1=…`, HMAC-SHA256 of `${t}.${body}`. */
export function signStripe(body: string | Uint8Array, options: SignatureOptions): string {
  const { secrets, timestamp = Math.floor(Date.now() / 1_000), extra = [] } = options;
  const signatures = secrets.map((secret) => {
    const hmac = createHmac('sha256', secret).update(`${timestamp}.`).update(body);
    return `v1=${hmac.digest('hex')}`;
  });
  return [...extra, `t=${timestamp}`, ...signatures].join(',');
}

export type Delivery = { status: number; headers: Headers; body: string };

export type DeliverOptions = SignatureOptions & {
  shape: StripeShape;
  /** Default 10 000, and more on a slow machine. */
  timeoutMs?: number;
  /** Cuts what is under way, and nothing is sent again. */
  signal?: AbortSignal | undefined;
};

/** One POST as Stripe makes it. Rejects when there is no answer. */
export async function deliverEvent(
  url: string,
  event: StripeEvent,
  options: DeliverOptions,
): Promise<Delivery> {
  const body = event.body(options.shape);
  return deliverBody(url, body, signStripe(body, options), options);
}

/** One POST of any body, with this `Stripe-Signature` (undefined: none). */
export async function deliverBody(
  url: string,
  body: string | Uint8Array<ArrayBuffer>,
  signature: string | undefined,
  {
    timeoutMs = patiently(10_000),
    signal: given,
  }: Pick<DeliverOptions, 'timeoutMs' | 'signal'> = {},
): Promise<Delivery> {
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
    ...(signature === undefined ? {} : { 'stripe-signature': signature }),
  };
  const late = AbortSignal.timeout(timeoutMs);
  const signal = given === undefined ? late : AbortSignal.any([late, given]);
  // Stripe follows no redirect.
  const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' });
  return { status: response.status, headers: response.headers, body: await response.text() };
}

export type PatienceOptions = {
  /** For all of them. Default 60 000. */
  deadlineMs?: number;
  /** Between two attempts at one. Default 100. */
  everyMs?: number;
};

/**
 * Each one after the other, again until it is answered with 2xx, as Stripe does over days; signed
 * anew each time. Duplicates and the order are those of `events`. `atOnce` (default 1) are under
 * way at a time. Throws after the deadline, naming the last answer, and when `signal` aborts.
 *
 * @returns the accepting answers, in the order of `events`.
 */
export async function deliverAll(
  url: string,
  events: readonly StripeEvent[],
  options: DeliverOptions & PatienceOptions & { atOnce?: number },
): Promise<Delivery[]> {
  const { deadlineMs = 60_000, everyMs = 100, atOnce = 1, signal } = options;
  const deadline = Date.now() + deadlineMs;
  const accepted: Delivery[] = [];
  const waiting = events.entries();
  const work = async (): Promise<void> => {
    for (const [index, event] of waiting) {
      const attempt = () => deliverEvent(url, event, options);
      accepted[index] = await untilAccepted(attempt, event, { deadline, everyMs, signal });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return accepted;
}

async function untilAccepted(
  attempt: () => Promise<Delivery>,
  event: StripeEvent,
  {
    deadline,
    everyMs,
    signal,
  }: { deadline: number; everyMs: number; signal: AbortSignal | undefined },
): Promise<Delivery> {
  for (;;) {
    const answer = await attempt().catch((error: unknown) => error as Error);
    const failed = answer instanceof Error;
    if (!failed && answer.status >= 200 && answer.status < 300) return answer;
    signal?.throwIfAborted();
    if (Date.now() > deadline) {
      const last = failed ? answer.message : `${answer.status} ${answer.body}`;
      const what = `${event.kind} ${event.id} was not accepted`;
      throw new Error(`${what}; last: ${last}`, failed ? { cause: answer } : {});
    }
    await delay(everyMs, undefined, { signal });
  }
}

import type { StripeRequest } from './fake-request.ts';
import type { Json } from './fixtures.ts';
import { StripeRefusal } from './stripe-refusal.ts';

export type Reply = { status: number; body: Json; headers: Record<string, string> };

type Kept = { fingerprint: string; reply: Reply };

/**
 * Replies by Idempotency-Key, as Stripe keeps them for POST: a repeat of the same request gets the
 * first reply, an error of the 500s too; not kept is what was refused before anything was done
 * (the key, a rate limit, a parameter). Another request with the same key is a mistake.
 */
export function createReplies() {
  const kept = new Map<string, Kept>();
  return {
    of(request: StripeRequest, answer: () => Json): Reply {
      const { method, path, form, apiKey, idempotencyKey } = request;
      if (method !== 'POST' || idempotencyKey === undefined) return replyOf(answer);
      const key = JSON.stringify([apiKey, idempotencyKey]);
      const fingerprint = JSON.stringify([path, form]);
      const before = kept.get(key);
      if (before === undefined) {
        const reply = replyOf(answer);
        if (reply.status === 200 || reply.status >= 500) kept.set(key, { fingerprint, reply });
        return reply;
      }
      if (before.fingerprint !== fingerprint) return replyOf(() => otherRequest(idempotencyKey));
      const { reply } = before;
      return { ...reply, headers: { ...reply.headers, 'idempotent-replayed': 'true' } };
    },
  };
}

function replyOf(answer: () => Json): Reply {
  try {
    return { status: 200, body: answer(), headers: {} };
  } catch (error) {
    if (!(error instanceof StripeRefusal)) throw error;
    const { status, body, headers } = error;
    return { status, body, headers };
  }
}

function otherRequest(key: string): never {
  const message =
    'Keys for idempotent requests can only be used with the same parameters they were first used ' +
    `with. Try using a key other than '${key}' if you meant to execute a different request.`;
  throw new StripeRefusal(400, { message, type: 'idempotency_error' });
}

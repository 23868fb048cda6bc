import { notNow } from '@tributary/http/internal-replies';
import type { InternalProblem } from '@tributary/http/internal-router';
import type { Refusal } from '../stripe/api.ts';

export function conflict(detail: string): InternalProblem {
  return { problem: 'CONFLICT', detail };
}

/** What Stripe refuses, with what is to be done about it. */
export function replyOf(refusal: Refusal): InternalProblem {
  if (refusal.outcome === 'later') {
    return notNow(`Stripe could not be asked; try again. ${refusal.detail}`);
  }
  const { because, detail } = refusal;
  if (because === 'key-rejected') {
    return conflict(
      `Stripe rejects the API key; make a new one, and connect with it, or repair the connection ` +
        `with it when there is one. ${detail}`,
    );
  }
  if (because === 'not-permitted') {
    return conflict(
      `The API key may not do this; give it the permission in Stripe's dashboard. ${detail}`,
    );
  }
  return conflict(`Stripe does not take this. ${detail}`);
}

/** What the portal has written may not have been read here yet. */
export const noConnection: InternalProblem = {
  problem: 'NOT_FOUND',
  detail: 'This tenant has no such connection, or it is disconnected.',
};

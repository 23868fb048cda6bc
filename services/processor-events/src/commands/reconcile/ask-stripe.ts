import type { FetchedType, StripeObject } from '@tributary/contracts/processor-record';
import type { Refusal, StripeAccount, StripeApi } from '../../stripe/api.ts';

/** Stripe cannot be asked now, or refuses; the page ends with it. */
export class StripeRefuses extends Error {
  readonly refusal: Refusal;
  constructor(refusal: Refusal) {
    super(refusal.detail);
    this.name = 'StripeRefuses';
    this.refusal = refusal;
  }
}

/** Asks by id; the same thing once. @throws {StripeRefuses} */
export type AskStripe = (type: FetchedType, id: string) => Promise<StripeObject>;

export function createAskStripe(
  stripe: Pick<StripeApi, 'fetch'>,
  account: StripeAccount,
): AskStripe {
  const asked = new Map<string, Promise<StripeObject>>();
  return (type, id) => {
    const key = `${type}:${id}`;
    const before = asked.get(key);
    if (before) return before;
    const answer = stripe.fetch(account, { type, id }).then((outcome) => {
      if (outcome.outcome !== 'object') throw new StripeRefuses(outcome);
      return outcome.object;
    });
    asked.set(key, answer);
    return answer;
  };
}

/** The results in the order of `items`; so many questions at once. */
export async function inParallel<T, R>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const workers = Array.from({ length: Math.min(atOnce, items.length) }, async () => {
    for (let n = next++; n < items.length; n = next++) results[n] = await work(items[n]!);
  });
  await Promise.all(workers);
  return results;
}

/** Requests per second, of all processes together. */
export type StripeRates = {
  /** To one account at Stripe. */
  accountPerSecond: number;
  /** To one endpoint of an account. */
  endpointPerSecond: number;
};

/**
 * Stripe's own limits, per account and second (https://docs.stripe.com/rate-limits): 100 requests
 * in live mode and 25 in a sandbox, of which at most 25 at one endpoint, unless Stripe has said
 * otherwise. A concurrency limit exists as well, without a number.
 */
const documented = {
  accountPerSecond: { live: 100, test: 25 },
  endpointPerSecond: 25,
};

/** How much of the limits we use: the customer's own backend is within the same ones. */
export function stripeRatesOf(options: { livemode: boolean; percent: number }): StripeRates {
  const { livemode, percent } = options;
  const { accountPerSecond, endpointPerSecond } = documented;
  return {
    accountPerSecond: (accountPerSecond[livemode ? 'live' : 'test'] * percent) / 100,
    endpointPerSecond: (endpointPerSecond * percent) / 100,
  };
}

const mostQuestionsAtOnce = 32;

/**
 * Questions of one connection and process under way or waiting for their turn: enough for the rate
 * while Stripe takes half a second, and not so many that one waits for long.
 */
export function questionsAtOnce({ accountPerSecond }: StripeRates): number {
  return Math.min(Math.ceil(accountPerSecond), mostQuestionsAtOnce);
}

/** How many may go at once after a pause: at most a fifth more than the rate within a second. */
export function burstOf(perSecond: number): number {
  return Math.max(1, Math.floor(perSecond / 5));
}

/**
 * What Stripe counts as one endpoint: a method and a path without its ids, such as
 * `GET customers/{id}`.
 *
 * @param path below `/v1/`, without a query
 */
export function endpointOf(method: string, path: string): string {
  return `${method} ${path.replace(/^((?:checkout\/)?(?!checkout\/)[^/]+\/)[^/]+/, '$1{id}')}`;
}

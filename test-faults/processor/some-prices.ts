import type { PriceInterval } from '@tributary/testkit/stripe/account-state';

/**
 * With the step in which Stripe takes amounts: whole hundreds of what it counts in hundredths
 * without need.
 */
export const currencies = [
  { currency: 'eur', step: 1 },
  { currency: 'usd', step: 1 },
  { currency: 'jpy', step: 1 },
  { currency: 'krw', step: 1 },
  { currency: 'kwd', step: 10 },
  { currency: 'bhd', step: 10 },
  { currency: 'isk', step: 100 },
  { currency: 'ugx', step: 100 },
  { currency: 'mga', step: 1 },
] as const;

export const intervals: readonly PriceInterval[] = [
  { unit: 'day', count: 7 },
  { unit: 'day', count: 14 },
  { unit: 'week', count: 1 },
  { unit: 'week', count: 2 },
  { unit: 'month', count: 1 },
  { unit: 'month', count: 3 },
  { unit: 'month', count: 6 },
  { unit: 'month', count: 12 },
  { unit: 'month', count: 24 },
  { unit: 'month', count: 36 },
  { unit: 'year', count: 1 },
  { unit: 'year', count: 2 },
  { unit: 'year', count: 3 },
  // Not in the contract.
  { unit: 'day', count: 10 },
  { unit: 'week', count: 6 },
  { unit: 'month', count: 5 },
  { unit: 'year', count: 4 },
];

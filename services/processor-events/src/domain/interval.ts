import type { StripeInterval } from '@tributary/contracts/processor-record';

/**
 * Stripe's intervals that the contract has a word for (interface 2.5); of months and years also
 * each other's.
 */
const names: Readonly<Record<string, string>> = {
  day7: 'weekly',
  day14: 'bi-weekly',
  week1: 'weekly',
  week2: 'bi-weekly',
  month1: 'monthly',
  month3: 'quarterly',
  month6: 'semi-annual',
  month12: 'yearly',
  month24: 'biennial',
  month36: 'triennial',
  year1: 'yearly',
  year2: 'biennial',
  year3: 'triennial',
};

/** Undefined when the contract has no word for it. */
export function contractInterval({ unit, count }: StripeInterval): string | undefined {
  return names[`${unit}${count}`];
}

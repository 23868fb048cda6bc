import { stripeShapes, type StripeShape as Shape } from '@tributary/testkit/stripe/api-version';
import { fixture, type Json as RawObject } from '@tributary/testkit/stripe/fixtures';
import * as accounts from '@tributary/testkit/stripe/stripe-account';

// What the specs of the domain take from the test kit, as a domain imports contracts and files
// only.

export type StripeShape = Shape;
export type Json = RawObject;
export type StripeAccount = accounts.StripeAccount;
export type InvoiceSpec = accounts.InvoiceSpec;
export type SessionSpec = accounts.SessionSpec;

/** The two shapes of Stripe's API that matter. */
export const shapes: readonly StripeShape[] = stripeShapes;

/** An account in memory, which tells and answers in both shapes. */
export function createStripeAccount(options?: accounts.AccountOptions): StripeAccount {
  return accounts.createStripeAccount(options);
}

/** The official object of that name in that shape, with these members. */
export function official(shape: StripeShape, name: string, members?: Json): Json {
  return fixture(shape, name, members);
}

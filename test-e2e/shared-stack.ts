import { type FakeStripe, startFakeStripe } from '@tributary/testkit/stripe/fake-stripe';
import type { Demo } from '../deploy/demo/demo-file.ts';
import type { Stack } from '../deploy/local/stack.ts';
import { startThrowawayStack } from '../deploy/local/throwaway-stack.ts';

let stripe: Promise<FakeStripe> | undefined;
let stack: Promise<Stack> | undefined;

/** One running system for all specs of a mocha process that break nothing; stopped when it ends. */
export async function sharedDemo(): Promise<Demo> {
  return (await sharedStack()).demo;
}

/** With its processes, for the few specs that also ask one of them past the edge. */
export async function sharedStack(): Promise<Stack> {
  return (stack ??= sharedStripe().then(({ url }) =>
    startThrowawayStack({ env: { TRIBUTARY_STRIPE_URL: url } }),
  ));
}

/** The Stripe of the shared system; the keys are those of `npm run stripe`. */
export async function sharedStripe(): Promise<FakeStripe> {
  return (stripe ??= startFakeStripe({ apiKeys: ['rk_test_local', 'sk_test_local'] }));
}

after(async function () {
  this.timeout(60_000);
  await (await stack)?.stop();
  await (await stripe)?.stop();
});

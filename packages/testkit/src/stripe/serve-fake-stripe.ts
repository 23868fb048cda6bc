import { startFakeStripe } from './fake-stripe.ts';

// `npm run stripe`: a stand-in for Stripe's API on this machine, for the walk of docs/tour.md.

const apiKeys = ['rk_test_local', 'sk_test_local'];
const port = Number(process.env['TRIBUTARY_LOCAL_STRIPE_PORT'] ?? 12_111);

const { url, stop } = await startFakeStripe({ apiKeys, port });
const keys = apiKeys.join(' and ');
process.stdout.write(`A stand-in for Stripe, until Ctrl-C: ${url}, with the keys ${keys}\n`);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => void stop().then(() => process.exit(0)));
}

import type { TributaryClient } from '../../packages/client/src/client.ts';
import fc from 'fast-check';

/** Whose codes the events name. */
export const referrers = ['ada', 'bert', 'cleo'] as const;

/** Digits behind the point of the currencies that are paid in. */
export const exponents: Readonly<Record<string, number>> = { EUR: 2, JPY: 0, KWD: 3 };

const invoices = 80;
const users = 60;
const dayMs = 86_400_000;

const drawn = fc.record({
  kind: fc.oneof(
    { arbitrary: fc.constant('purchase' as const), weight: 5 },
    { arbitrary: fc.constantFrom('signup' as const, 'demo' as const), weight: 3 },
    { arbitrary: fc.constant('refund' as const), weight: 3 },
  ),
  /** What is drawn more than once is reported twice, or given back in parts. */
  invoice: fc.nat(invoices - 1),
  user: fc.nat(users - 1),
  referrer: fc.oneof(
    { arbitrary: fc.constantFrom(...referrers), weight: 12 },
    { arbitrary: fc.constantFrom('disabled' as const, 'unknown' as const), weight: 1 },
  ),
  isOwn: fc.integer({ min: 0, max: 15 }).map((number) => number === 0),
  share: fc.constantFrom(1n, 2n, 3n, 7n),
  daysAgo: fc.nat(60),
  second: fc.nat(86_399),
});
export type DrawnEvent = typeof drawn extends fc.Arbitrary<infer T> ? T : never;

export function drawEvents(seed: number, count: number): DrawnEvent[] {
  return fc.sample(drawn, { seed, numRuns: count });
}

/** What was paid by an invoice, whoever tells of it: now and then as much as can be told. */
export function paymentOf(invoice: number) {
  const currency = Object.keys(exponents)[invoice % 3]!;
  const amount = invoice % 29 === 0 ? Number.MAX_SAFE_INTEGER : 1_900 + invoice * 137;
  return { invoiceId: `inv-${invoice}`, currency, amount };
}

/** Sends one; gives the id by which it was accepted. */
export async function send(
  client: TributaryClient,
  codes: Readonly<Record<DrawnEvent['referrer'], string>>,
  event: DrawnEvent,
): Promise<string> {
  const at = Math.floor(Date.now() / dayMs) * dayMs - (event.daysAgo + 1) * dayMs;
  const occurredAt = new Date(at + event.second * 1_000).toISOString();
  const { kind, invoice, referrer } = event;
  const own = event.isOwn && referrer !== 'unknown' && referrer !== 'disabled' ? referrer : null;
  const paidBy = `user-${invoice % users}`;
  const id = own ?? (kind === 'purchase' || kind === 'refund' ? paidBy : `user-${event.user}`);
  const common = { ucc: codes[referrer], occurredAt, newUser: { id } };
  const payment = paymentOf(invoice);
  switch (kind) {
    case 'signup':
      return (await client.signupCreated(common)).eventId;
    case 'demo':
      return (await client.demoAttended(common)).eventId;
    case 'purchase': {
      const subscription = { interval: 'monthly' } as const;
      return (await client.purchaseCreated({ ...common, ...payment, subscription })).eventId;
    }
    case 'refund': {
      const amount = Number(BigInt(payment.amount) / event.share);
      return (await client.purchaseRefunded({ ...common, ...payment, amount })).eventId;
    }
  }
}

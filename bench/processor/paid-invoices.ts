import type { ProcessorRecord } from '@tributary/contracts/processor-record';
import { createStripeAccount, type StripeAccount } from '@tributary/testkit/stripe/stripe-account';
import { readStripeEvent } from '../../services/processor-events/src/domain/read-event.ts';
import { toReceived } from '../../services/processor-events/src/domain/receive-event.ts';
import { customer, fetched } from '../../services/processor-events/src/testing/records.ts';
import { type Connection, recordOf } from '../../test-faults/processor/connections.ts';

/** A referred customer with a subscription, and its first payment. */
export function payingCustomer(account: StripeAccount, priceId: string, newUserId: string) {
  const { id: customerId } = account.customer({ ucc: 'BENCHCODE', newUserId });
  const { id: subscriptionId } = account.subscription({ customerId, priceId }).subscription;
  const lines = [{ amount: 4_900 }];
  return account.paidInvoice({ customerId, currency: 'eur', subscriptionId, lines });
}

export function monthlyPrice(account: StripeAccount): string {
  const interval = { unit: 'month', count: 1 } as const;
  return account.price({ currency: 'eur', unitAmount: 4_900, interval }).id;
}

/** What differs between two events; `@event@`, `@invoice@` and `@customer@` in the template. */
type Ids = { event: string; invoice: string; customer: string };

/** The n-th invoice is of one of so many customers. */
export function idsOf(n: number, customers: number): Ids {
  const digits = (count: number) => String(count).padStart(12, '0');
  const customerId = `cus_${digits(n % customers)}`;
  return { event: `evt_${digits(n)}`, invoice: `in_${digits(n)}`, customer: customerId };
}

/**
 * The official body of an `invoice.paid`, with places for its ids. In the old shape it is complete
 * in itself, but for the customer's metadata.
 */
export function invoiceTemplate(): string {
  const account = createStripeAccount();
  const { event, invoice } = payingCustomer(account, monthlyPrice(account), 'user');
  return event
    .body('old')
    .replaceAll(event.id, '@event@')
    .replaceAll(invoice.id, '@invoice@')
    .replaceAll(invoice.customerId!, '@customer@');
}

export function bodyOf(template: string, ids: Ids): string {
  return template
    .replaceAll('@event@', ids.event)
    .replaceAll('@invoice@', ids.invoice)
    .replaceAll('@customer@', ids.customer);
}

/** Customers whose metadata is on the log, so that nothing is asked about their invoices. */
export function knownCustomers(connection: Connection, customers: number): ProcessorRecord[] {
  const { tenantId, connectionId } = connection;
  return Array.from({ length: customers }, (_, n) => {
    const { customer: id } = idsOf(n, customers);
    return fetched(id, customer(id), new Date().toISOString(), { tenantId, connectionId });
  });
}

/** What the receiving route makes of an event. */
export function receivedOf(connection: Connection, body: string): ProcessorRecord {
  const reading = readStripeEvent(JSON.parse(body));
  if (reading.outcome === 'wrong') throw new Error(JSON.stringify(reading.violations));
  const sealing = { keyRing: [{ keyId: 'k1', key: Buffer.alloc(32) }], apiKey: 'none' };
  const about = { connection: recordOf(connection, sealing), receivedAt: new Date() };
  return toReceived(reading.event, { ...about, livemode: false });
}

import type { Permission, StripeAccount } from './api.ts';
import { hasInvoicePayments } from './api-version.ts';
import { readPage } from './read-list.ts';
import type { StripeClient } from './client.ts';

/** What a restricted key must be allowed to read, in the words of Stripe's dashboard. */
const resources = [
  { resource: 'Customers', path: 'customers' },
  { resource: 'Prices', path: 'prices' },
  { resource: 'Invoices', path: 'invoices' },
  { resource: 'Checkout Sessions', path: 'checkout/sessions' },
  { resource: 'Payment Intents', path: 'payment_intents' },
  { resource: 'Charges and Refunds', path: 'charges' },
  { resource: 'Charges and Refunds', path: 'refunds' },
  { resource: 'Invoices', path: 'invoice_payments' },
  { resource: 'Webhook Endpoints', path: 'webhook_endpoints' },
] as const;

/**
 * Asks for one of each kind of object that is ever asked for: the answer tells whether it may be.
 */
export async function readPermissions(
  client: StripeClient,
  account: StripeAccount,
): Promise<Permission[]> {
  const asked = resources.filter(
    ({ path }) => path !== 'invoice_payments' || hasInvoicePayments(account.apiVersion),
  );
  return Promise.all(
    asked.map(async ({ resource, path }) => {
      const answer = await readPage(client, account, { path, limit: 1 });
      return {
        ...{ resource, path },
        allowed: answer.outcome !== 'refused',
        known: answer.outcome !== 'later',
        keyRejected: answer.outcome === 'refused' && answer.because === 'key-rejected',
        detail: 'detail' in answer ? answer.detail : 'May be read.',
      };
    }),
  );
}

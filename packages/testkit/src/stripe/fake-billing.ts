import type { InvoiceState } from './account-state.ts';
import type { StripeShape } from './api-version.ts';
import { refuseUnknown } from './fake-request.ts';
import type { Json } from './fixtures.ts';
import type { StripeAccount } from './stripe-account.ts';
import { noSuch, StripeRefusal } from './stripe-refusal.ts';

// How an invoice is made and paid through Stripe's API: a draft, its items, finalized, paid. The
// customer's payment method is not looked at: every payment succeeds.

type Form = Record<string, string>;

export function createInvoice(account: StripeAccount, form: Form, shape: StripeShape): Json {
  refuseUnknown(form, ['customer', 'currency', 'auto_advance', 'collection_method']);
  const customerId = required(form, 'customer');
  if (!account.store.customers.has(customerId)) throw noSuch('customer', customerId);
  const { id } = account.draftInvoice({ customerId, currency: form['currency'] ?? 'usd' });
  return account.shaped(id, shape);
}

/** The answer has only what identifies the item: nobody reads it further. */
export function addInvoiceItem(account: StripeAccount, form: Form): Json {
  refuseUnknown(form, ['customer', 'invoice', 'amount', 'currency', 'description']);
  const { id: invoice, currency } = invoiceIn(account, required(form, 'invoice'), 'draft');
  const customer = required(form, 'customer');
  const amount = Number(required(form, 'amount'));
  if (!Number.isSafeInteger(amount)) throw invalid('amount', `Invalid integer: ${form['amount']}`);
  if ((form['currency'] ?? currency) !== currency)
    throw invalid('currency', `The invoice is in ${currency}.`);
  const { id } = account.addInvoiceLine(invoice, { amount });
  return {
    id: id.replace('il_', 'ii_'),
    object: 'invoiceitem',
    customer,
    invoice,
    amount,
    currency,
  };
}

export function finalizeInvoice(account: StripeAccount, id: string, shape: StripeShape): Json {
  account.finalizeInvoice(invoiceIn(account, id, 'draft').id);
  return account.shaped(id, shape);
}

export function payInvoice(account: StripeAccount, id: string, shape: StripeShape): Json {
  account.payInvoice(invoiceIn(account, id, 'open').id);
  return account.shaped(id, shape);
}

function invoiceIn(account: StripeAccount, id: string, status: InvoiceState['status']) {
  const invoice = account.store.invoices.get(id);
  if (invoice === undefined) throw noSuch('invoice', id);
  if (invoice.status === status) return invoice;
  throw new StripeRefusal(400, { message: `The invoice is ${invoice.status}, not ${status}.` });
}

function required(form: Form, param: string): string {
  const value = form[param];
  if (value !== undefined && value !== '') return value;
  const message = `Missing required param: ${param}.`;
  throw new StripeRefusal(400, { message, code: 'parameter_missing', param });
}

function invalid(param: string, message: string): StripeRefusal {
  return new StripeRefusal(400, { message, param });
}

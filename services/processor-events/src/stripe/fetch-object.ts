import type { FetchedType } from '@tributary/contracts/processor-record';
import type { Need } from '../domain/model.ts';
import { readFetched } from '../domain/read-object.ts';
import type { FetchOutcome, StripeAccount } from './api.ts';
import { hasInvoicePayments, hasLatestCharge } from './api-version.ts';
import { type Query, segmentOf, type StripeAnswer, type StripeClient } from './client.ts';
import { memberOf, readWholeList } from './read-list.ts';

/** Where something is asked for: as an object, or as a list that is read to its end. */
type Question = {
  list: boolean;
  path: string;
  query?: Query;
  /** To what a newer version would have answered. */
  read?: (raw: unknown) => unknown;
};

/** One answer of Stripe's in contracts' form; see `readFetched` for what is expanded and why. */
export async function fetchObject(
  client: StripeClient,
  account: StripeAccount,
  { type, id }: Pick<Need, 'type' | 'id'>,
): Promise<FetchOutcome> {
  const absent: FetchOutcome = { outcome: 'object', object: { object: 'absent', type, id } };
  const segment = segmentOf(id);
  if (segment === undefined) return absent;
  const { apiVersion } = account;
  const question =
    olderQuestionOf(type, segment, apiVersion) ?? questionOf(type, { id, segment, apiVersion });
  const answer = await ask(client, account, question);
  if (answer.outcome === 'absent') return absent;
  if (answer.outcome !== 'raw') return answer;
  const { raw } = answer;
  return readFetched(type, id, question.read ? question.read(raw) : raw);
}

/**
 * Before there were invoice payments, a payment intent named its invoice and an invoice its
 * payment.
 */
function olderQuestionOf(
  type: FetchedType,
  segment: string,
  apiVersion: string,
): Question | undefined {
  if (hasInvoicePayments(apiVersion)) return undefined;
  if (type === 'payment-invoice') {
    const read = (raw: unknown) => [{ invoice: memberOf(raw, 'invoice') ?? null }];
    return { ...one(`payment_intents/${segment}`), read };
  }
  if (type === 'invoice-payments') {
    return { ...one(`invoices/${segment}`), read: (raw: unknown) => [{ payment: raw }] };
  }
  return undefined;
}

function questionOf(
  type: FetchedType,
  { id, segment, apiVersion }: { id: string; segment: string; apiVersion: string },
): Question {
  switch (type) {
    case 'customer':
      return one(`customers/${segment}`);
    case 'price':
      return one(`prices/${segment}`);
    case 'invoice':
      return one(`invoices/${segment}`);
    case 'checkout-session':
      // A refund knows the payment of its session only.
      return id.startsWith('pi_')
        ? all('checkout/sessions', { payment_intent: id })
        : one(`checkout/sessions/${segment}`);
    case 'charge':
      return one(`charges/${segment}`);
    case 'payment-intent':
      return one(
        `payment_intents/${segment}`,
        hasLatestCharge(apiVersion) ? { 'expand[]': 'latest_charge' } : {},
      );
    case 'refunds':
      return all('refunds', { charge: id });
    case 'invoice-payments':
      return all('invoice_payments', { invoice: id, 'expand[]': 'data.payment.payment_intent' });
    case 'payment-invoice':
      return all('invoice_payments', {
        'payment[type]': 'payment_intent',
        'payment[payment_intent]': id,
      });
    case 'invoice-lines':
      return all(`invoices/${segment}/lines`);
    case 'session-lines':
      return all(`checkout/sessions/${segment}/line_items`);
    default:
      return type satisfies never;
  }
}

function one(path: string, query: Query = {}): Question {
  return { list: false, path, query };
}

function all(path: string, query: Query = {}): Question {
  return { list: true, path, query };
}

async function ask(
  client: StripeClient,
  account: StripeAccount,
  { list, path, query = {} }: Question,
): Promise<StripeAnswer> {
  if (!list) return client.get(account, path, query);
  const answer = await readWholeList(client, account, { path, query });
  return answer.outcome === 'items' ? { outcome: 'raw', raw: answer.items } : answer;
}

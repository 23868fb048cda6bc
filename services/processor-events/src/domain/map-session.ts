import type { StripeCheckoutSession } from '@tributary/contracts/processor-record';
import { aliasesOf, purchaseFact } from './facts.ts';
import { afterReading, startGathering } from './gathering.ts';
import { identify } from './identity.ts';
import { betterTelling } from './item-of.ts';
import { mainLine } from './main-line.ts';
import { type Amount, incomplete, type NoAmount, seatsAndProduct } from './map-invoice.ts';
import type { IgnoredItemReason, Item, LookUp, Verdict } from './model.ts';
import { contractAmount, inMinorUnits, scaleOf, shareWithoutTax, whole } from './money.ts';

type SessionItem = Item & { object: StripeCheckoutSession };

/**
 * `checkout.session.completed` to purchase-created, of a session that has no invoice: a payment
 * made once, known by its payment intent, as its refunds name that.
 */
export function mapSession(
  account: SessionItem,
  lookUp: LookUp,
  { metadataTtlMs }: { metadataTtlMs: number },
): Verdict {
  const item = latestTelling(account, lookUp);
  const { object: session, tenantId } = item;
  const reason = whyIgnored(session);
  if (reason) return { state: 'ignored', reason, needs: [] };
  if (session.paymentStatus !== 'paid') return unpaid(item, lookUp);
  if (session.paymentIntentId === null) {
    return { state: 'ignored', reason: 'no-payment-required', needs: [] };
  }
  const gathering = startGathering(item.receivedAt, lookUp);
  const identified = identify(session.customerId, item, { lookUp, gathering, metadataTtlMs });
  if (identified.outcome === 'unmatched') return identified.verdict;
  if (identified.outcome === 'asked') return incomplete(gathering);

  const paid = amountOf(item);
  if ('reason' in paid) return { state: 'unmatched', needs: [], ...paid };
  const invoiceId = session.paymentIntentId;
  const intent = gathering.ask('payment-intent', invoiceId, item.receivedAt);
  const listed = gathering.ask('session-lines', session.id);
  if (gathering.needs.length > 0) return incomplete(gathering);
  const about = {
    tenantId,
    receivedAt: gathering.receivedAt(),
    occurredAtSeconds: intent?.charge?.createdAt ?? session.createdAt,
    identity: identified.identity,
  };
  const line = mainLine((listed?.lines ?? []).map((each) => ({ ...each, recurring: false })));
  const price = listed?.prices.find(({ id }) => id === line?.priceId);
  const subscription = { interval: 'one-time', ...(line && seatsAndProduct(line, price)) };
  const aliases = aliasesOf(invoiceId, [intent?.charge?.id]);
  const purchase = { invoiceId, ...paid, ...aliases, subscription };
  return { state: 'reported', facts: [purchaseFact(session.id, about, purchase)], needs: [] };
}

/** An unpaid session is asked for until it is paid; what was read of it since says more. */
function latestTelling(item: SessionItem, lookUp: LookUp): SessionItem {
  const reading = lookUp.reading('checkout-session', item.objectId);
  if (reading?.object.object !== 'checkout-session') return item;
  const read = { ...item, object: reading.object, receivedAt: reading.receivedAt };
  return betterTelling(item, read) === read ? read : item;
}

function whyIgnored(session: StripeCheckoutSession): IgnoredItemReason | undefined {
  const isInvoiced = session.invoiceId !== null || session.makesInvoice === true;
  if (isInvoiced || session.mode === 'subscription') return 'has-invoice';
  if (session.mode === 'setup') return 'no-payment';
  if (session.paymentStatus === 'no_payment_required') return 'no-payment-required';
  return undefined;
}

function unpaid(item: SessionItem, lookUp: LookUp): Verdict {
  const type = 'checkout-session';
  const after = afterReading(lookUp.reading(type, item.objectId));
  const needs = [{ type, id: item.objectId, ...after } as const];
  return { state: 'waiting', reason: 'unpaid', needs, facts: [] };
}

function amountOf({ object: session, taxPolicy }: SessionItem): Amount | NoAmount {
  const { currency, amountTotal, amountTax } = session;
  const scale = currency === null ? undefined : scaleOf(currency);
  if (!scale) return { reason: 'unknown-currency', detail: currency ?? 'none' };
  if (amountTotal === null) {
    return { reason: 'amount-out-of-range', detail: 'the session has no amount' };
  }
  const share =
    taxPolicy === 'net' ? shareWithoutTax(amountTotal, amountTotal - (amountTax ?? 0)) : whole;
  const amount = contractAmount(inMinorUnits(amountTotal, scale, share));
  if (amount === undefined) return { reason: 'amount-out-of-range' };
  return { currency: scale.currency, amount };
}

import type { EventRecord } from '@tributary/contracts/event-record';
import type { StripeCharge, StripeRefund } from '@tributary/contracts/processor-record';
import { aliasesOf, refundFact } from './facts.ts';
import { afterReading, type Gathering, startGathering } from './gathering.ts';
import { type Identified, identify } from './identity.ts';
import { incomplete } from './map-invoice.ts';
import type { Item, LookUp, Need, Verdict } from './model.ts';
import {
  contractAmount,
  inMinorUnits,
  inMinorUnitsUp,
  scaleOf,
  type Scale,
  type Share,
  shareWithoutTax,
  whole,
} from './money.ts';
import { compareRefunds } from './read-charge.ts';

type ChargeItem = Item & { object: StripeCharge };

/**
 * `charge.refunded` to one purchase-refunded for each refund of the charge, by the refund's own id,
 * so that each counts once whatever events tell of it. It names the invoice of the charge, else
 * what the purchase of a session is known by.
 */
export function mapCharge(
  item: ChargeItem,
  lookUp: LookUp,
  { metadataTtlMs }: { metadataTtlMs: number },
): Verdict {
  const { object: charge } = item;
  const gathering = startGathering(item.receivedAt, lookUp);
  const invoice = invoiceOf(charge, gathering);
  const invoiceId = invoice ?? charge.paymentIntentId ?? charge.id;
  const purchase = invoice === undefined ? undefined : lookUp.reported(invoiceId);
  const identified: Identified = purchase
    ? { outcome: 'known', identity: purchase }
    : identify(charge.customerId, item, { lookUp, gathering, metadataTtlMs });
  // Whether the purchase was reported is known with its invoice only: nothing is unmatched before.
  if (invoice === undefined) return incomplete(gathering);
  if (identified.outcome === 'unmatched') return identified.verdict;
  if (identified.outcome === 'asked') return incomplete(gathering);

  const scale = scaleOf(charge.currency);
  if (!scale) {
    return { state: 'unmatched', reason: 'unknown-currency', detail: charge.currency, needs: [] };
  }
  const isNet = (purchase?.taxPolicy ?? item.taxPolicy) === 'net';
  const part = isNet ? partWithoutTax(invoice, charge, scale, gathering) : { share: whole };
  if (gathering.needs.length > 0) return incomplete(gathering);
  const { identity } = identified;
  const refunds = carriedRefunds(charge) ?? listedRefunds(item, gathering);
  if (refunds === null) {
    const after = afterReading(lookUp.reading('refunds', charge.id));
    const needs: Need[] = [{ type: 'refunds', id: charge.id, ...after }];
    return { state: 'unmatched', reason: 'absent', needs };
  }
  return factsOf(refunds, { item, invoiceId, identity, scale, part, gathering });
}

/** null: none. Undefined: it is asked for. */
function invoiceOf(charge: StripeCharge, gathering: Gathering): string | null | undefined {
  if (charge.invoiceId !== undefined) return charge.invoiceId;
  if (charge.paymentIntentId === null) return null;
  const payment = gathering.ask('payment-invoice', charge.paymentIntentId);
  return payment === undefined ? undefined : (payment?.invoiceId ?? null);
}

/** Which part of each refund counts, and how much all of them together can be (minor units). */
type Part = { share: Share; most?: bigint };

/**
 * By the tax of the invoice, or of the session that the payment intent was made for; when neither
 * is there, of all that was refunded.
 */
function partWithoutTax(
  invoice: string | null,
  charge: StripeCharge,
  scale: Scale,
  gathering: Gathering,
): Part {
  if (invoice !== null) {
    const paid = gathering.ask('invoice', invoice);
    if (!paid) return { share: whole };
    const share = shareWithoutTax(paid.total, paid.totalExcludingTax);
    return { share, most: inMinorUnits(paid.amountPaid, scale, share) };
  }
  if (charge.paymentIntentId === null) return { share: whole };
  const session = gathering.ask('checkout-session', charge.paymentIntentId);
  if (!session || session.amountTotal === null) return { share: whole };
  const { amountTotal, amountTax } = session;
  const share = shareWithoutTax(amountTotal, amountTotal - (amountTax ?? 0));
  return { share, most: inMinorUnits(amountTotal, scale, share) };
}

type Settled = {
  item: ChargeItem;
  invoiceId: string;
  identity: { ucc: string; newUserId: string };
  scale: Scale;
  part: Part;
  gathering: Gathering;
};

/** While a newer list is asked for, the refunds that are known already are reported. */
function factsOf(refunds: StripeRefund[], settled: Settled): Verdict {
  const { gathering } = settled;
  const facts: EventRecord[] = [];
  for (const { refund, amount } of amountsOf(refunds.filter(isGivenBack), settled)) {
    if (amount === undefined) {
      return { state: 'unmatched', reason: 'amount-out-of-range', needs: [] };
    }
    facts.push(factOf(refund, amount, settled));
  }
  if (gathering.needs.length > 0 && facts.length === 0) return incomplete(gathering);
  return { state: 'reported', facts, needs: gathering.needs };
}

/** Those that the charge carries, when they are all that it speaks of. */
function carriedRefunds({ refunds, amountRefunded }: StripeCharge): StripeRefund[] | undefined {
  if (!refunds) return undefined;
  return sumOf(refunds.filter(isGivenBack)) >= amountRefunded ? refunds : undefined;
}

/**
 * null: Stripe has no such charge any more. A list that was read after the event by the clocks,
 * which may be those of two machines, and still says less than the charge was read before: it is
 * asked for again.
 */
function listedRefunds(
  { object: charge, receivedAt: since }: ChargeItem,
  gathering: Gathering,
): StripeRefund[] | null {
  const asked = gathering.ask('refunds', charge.id, since);
  if (asked === null) return null;
  const refunds = asked?.refunds ?? gathering.peek('refunds', charge.id)?.refunds ?? [];
  if (asked && sumOf(refunds) < charge.amountRefunded) {
    gathering.needs.push({ type: 'refunds', id: charge.id, since });
  }
  return refunds;
}

function sumOf(refunds: readonly StripeRefund[]): number {
  return refunds.reduce((total, { amount }) => total + amount, 0);
}

function isGivenBack({ status }: StripeRefund): boolean {
  return status !== 'failed' && status !== 'canceled';
}

/**
 * Each refund is what the sum of all so far grows by, so that rounding never adds up and a payment
 * that is given back whole is given back exactly.
 */
function amountsOf(refunds: StripeRefund[], { scale, part }: Settled) {
  let given = 0;
  let counted = 0n;
  return [...refunds].sort(compareRefunds).map((refund) => {
    given += refund.amount;
    const upTo = inMinorUnitsUp(given, scale, part.share);
    const sum = part.most !== undefined && upTo > part.most ? part.most : upTo;
    const amount = contractAmount(sum - counted);
    counted = sum;
    return { refund, amount };
  });
}

function factOf(refund: StripeRefund, amount: number, settled: Settled): EventRecord {
  const { item, invoiceId, identity, scale, gathering } = settled;
  const { object: charge, tenantId } = item;
  const about = {
    tenantId,
    receivedAt: gathering.receivedAt(),
    occurredAtSeconds: refund.createdAt,
    identity,
  };
  return refundFact(refund.id, about, {
    invoiceId,
    currency: scale.currency,
    amount,
    ...aliasesOf(invoiceId, [charge.paymentIntentId, charge.id]),
    refundId: refund.id,
  });
}

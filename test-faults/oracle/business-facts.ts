import { legacyPaymentBusinessKey } from '@tributary/contracts/business-key';
import type { EventRecord, EventSource, Payment } from '@tributary/contracts/event-record';
import { repeatHoursAt } from './codes.ts';
import { lookUp } from './look-up.ts';
import {
  factsOf,
  firstOf,
  isPurchase,
  isRefund,
  type PurchaseEvent,
  type Referral,
  type RefundEvent,
  type World,
} from './world.ts';

// Which events are one business fact, and which of them holds it (design 7, "Business keys").

const sourceRank: readonly EventSource[] = ['v2', 'processor', 'legacy', 'widget'];

/** What a signup, demo or purchase is in business terms, by the name that its own event gave it. */
export function businessKeyOf(world: World, event: Referral): string {
  const number = isUntimed(world, event) ? numberOf(world, event) : 1;
  const key = JSON.parse(reportedKeyOf(event)) as string[];
  return JSON.stringify(number === 1 ? key : [...key, number]);
}

function reportedKeyOf(event: Referral): string {
  const { tenantId, newUser } = event;
  if (event.eventType === 'signup-created') return JSON.stringify(['signup', tenantId, newUser.id]);
  if (event.eventType === 'demo-attended') return JSON.stringify(['demo', tenantId, newUser.id]);
  const { invoiceId, amount, currency, subscription } = event.purchase;
  if (invoiceId !== undefined) return JSON.stringify(['purchase', tenantId, invoiceId]);
  return legacyPaymentBusinessKey('legacy-purchase', tenantId, {
    ...{ newUserId: newUser.id, trigger: event.eventType, amount, currency },
    rawTimestamp: event.occurredAtRaw ?? event.occurredAt,
    subscriptionId: subscription?.id,
  });
}

/** The event that counts for the business fact that this event reports; itself, mostly. */
export function holderOf(world: World, event: Referral): Referral {
  if (isUntimed(world, event)) return paymentWith(world, event)[0] as Referral;
  const same = sameFact(world, event);
  const rank = Math.min(...same.map((other) => sourceRank.indexOf(other.source)));
  return firstOf(same.filter((other) => sourceRank.indexOf(other.source) === rank))!;
}

function sameFact(world: World, event: Referral): Referral[] {
  if (isPurchase(event)) return sameInvoice(world, event);
  const users = factsOf(world, event.newUser.id);
  return users.filter((other) => other.eventType === event.eventType) as Referral[];
}

function sameInvoice(world: World, event: PurchaseEvent): PurchaseEvent[] {
  return sharingNames(world, event).filter(isPurchase);
}

/** All payments that are reached from this one over shared names, of purchases and refunds. */
export function sharingNames(world: World, event: PurchaseEvent | RefundEvent): EventRecord[] {
  const reached = new Set<EventRecord>([event, ...sameUnnamed(world, event)]);
  // What is added meanwhile is walked, too.
  for (const one of reached) {
    for (const name of namesOf(one)) {
      for (const other of byName(world.events, name)) reached.add(other);
    }
  }
  return [...reached];
}

const byName = lookUp(namesOf);

/**
 * By the second rules what named neither an invoice nor a time is distinguished by when it came.
 */
function isUntimed(world: World, event: EventRecord): boolean {
  const payment = paymentOf(event);
  if (world.foldVersion === 1 || payment === undefined) return false;
  return payment.invoiceId === undefined && event.occurredAtRaw === '';
}

/** All that is told of the payment that this event is about, as it was received. */
function paymentWith(world: World, event: EventRecord): EventRecord[] {
  return equalPayments(world, event).find((payment) => payment.includes(event))!;
}

/** The how many-th it is of those that are equal but for their receipt. */
function numberOf(world: World, event: EventRecord): number {
  return equalPayments(world, event).findIndex((payment) => payment.includes(event)) + 1;
}

/**
 * The first begins a payment; what comes within some hours of that repeats it; the next begins
 * another.
 */
function equalPayments(world: World, event: EventRecord): EventRecord[][] {
  const asReceived = sameUnnamed(world, event).sort((a, b) =>
    a.receivedAt + a.eventId < b.receivedAt + b.eventId ? -1 : 1,
  );
  const payments: EventRecord[][] = [];
  for (const report of asReceived) {
    const last = payments.at(-1);
    const hours = repeatHoursAt(world, report.receivedAt);
    const since = last && Date.parse(report.receivedAt) - Date.parse(last[0]!.receivedAt);
    if (since !== undefined && since <= hours * 60 * 60 * 1_000) last!.push(report);
    else payments.push([report]);
  }
  return payments;
}

function sameUnnamed(world: World, event: EventRecord): EventRecord[] {
  return factsOf(world, event.newUser.id).filter((other) => isSameUnnamed(other, event));
}

/** Legacy facts without an invoice id go by all that tells one payment from another. */
function isSameUnnamed(a: EventRecord, b: EventRecord): boolean {
  const [one, two] = [paymentOf(a), paymentOf(b)];
  if (one === undefined || two === undefined || a.eventType !== b.eventType) return false;
  if (one.invoiceId !== undefined || two.invoiceId !== undefined) return false;
  return (
    a.newUser.id === b.newUser.id &&
    (a.occurredAtRaw ?? a.occurredAt) === (b.occurredAtRaw ?? b.occurredAt) &&
    one.amount === two.amount &&
    one.currency === two.currency &&
    one.subscription?.id === two.subscription?.id
  );
}

export function paymentOf(event: EventRecord): Payment | undefined {
  if (isPurchase(event)) return event.purchase;
  return isRefund(event) ? event.refund : undefined;
}

function namesOf(event: EventRecord): string[] {
  const { invoiceId, aliases = [] } = paymentOf(event) ?? {};
  return invoiceId === undefined ? [] : [invoiceId, ...aliases];
}

/** The purchase that a refund gives back: the one that holds the invoice. */
export function purchaseOf(world: World, refund: RefundEvent): PurchaseEvent | undefined {
  const [purchase] = sharingNames(world, refund).filter(isPurchase);
  return purchase && (holderOf(world, purchase) as PurchaseEvent);
}

/** The first report of the same refund by the same source. */
export function firstReportOf(world: World, refund: RefundEvent): RefundEvent {
  if (isUntimed(world, refund)) return paymentWith(world, refund)[0] as RefundEvent;
  const refunds = sharingNames(world, refund).filter(isRefund);
  return firstOf(refunds.filter((other) => isSameRefund(other, refund)))!;
}

/** Asked only about refunds that share names. */
function isSameRefund(a: RefundEvent, b: RefundEvent): boolean {
  if (b.refund.invoiceId === undefined) return isSameUnnamed(a, b);
  if (a.source !== b.source) return false;
  const { refundId } = b.refund;
  // A processor's id tells refunds apart within an invoice, by whatever name each report has it.
  if (refundId !== undefined) return a.refund.refundId === refundId;
  if (a.refund.refundId !== undefined) return false;
  return a.refund.invoiceId === b.refund.invoiceId && reportedBy(a) === reportedBy(b);
}

function reportedBy({
  idempotency,
  occurredAtRaw,
  occurredAtSeconds,
  refund,
}: RefundEvent): string {
  if (idempotency !== undefined) return JSON.stringify(['idempotency', idempotency.key]);
  // The time of receipt is none: it would make each copy a refund of its own.
  return JSON.stringify([occurredAtRaw === '' ? '' : occurredAtSeconds, refund.amount]);
}

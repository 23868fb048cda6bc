import type { EventRecord } from '@tributary/contracts/event-record';
import {
  type FetchedType,
  processorCodec,
  type ProcessorRecord,
  type StripeObject,
  type TaxPolicy,
} from '@tributary/contracts/processor-record';
import type { StripeEvent } from '@tributary/testkit/stripe/account-state';
import { paymentsOf, refundsOf } from '@tributary/testkit/stripe/account-store';
import type { StripeShape } from '@tributary/testkit/stripe/api-version';
import type { StripeAccount } from '@tributary/testkit/stripe/stripe-account';
import { shapeLine } from '@tributary/testkit/stripe/shape-billing';
import {
  shapeInvoicePayment,
  shapeRefund,
  shapeSessionLine,
} from '@tributary/testkit/stripe/shape-payment';
import { betterTelling, itemOf } from '../domain/item-of.ts';
import { evaluateItem } from '../domain/evaluate-item.ts';
import type { Item, LookUp, Need, Reading, Verdict } from '../domain/model.ts';
import { readStripeEvent } from '../domain/read-event.ts';
import { readEventObject, readFetched } from '../domain/read-object.ts';
import { nextReading, readingsOf } from '../domain/readings-of.ts';
import { subjectOf } from '../domain/subject-of.ts';

export const metadataTtlMs = 600_000;

/**
 * The domain's fold in memory, of one tenant and an account at Stripe that answers at once: what is
 * told comes as records, through their codec, and what is needed is asked and recorded in turn.
 */
export type ReportedAccount = {
  /** A signed event arrives. A repeat is reported again, as if its id had not been seen. */
  report(event: StripeEvent): void;
  /** Asks for all that waits, until nothing does. `again`: also for what is unmatched or unpaid. */
  settle(options?: { again?: boolean }): void;
  /** Some time goes by. */
  wait(ms: number): void;
  verdictOf(objectId: string): Verdict;
  itemOf(objectId: string): Item;
  /** In the order of their event ids; what was made first stays. */
  facts(): EventRecord[];
  /** `type id` of all questions to Stripe, in their order. */
  readonly asked: string[];
};

export function createReportedAccount(
  account: StripeAccount,
  { shape, taxPolicy = 'gross' }: { shape: StripeShape; taxPolicy?: TaxPolicy },
): ReportedAccount {
  const items = new Map<string, Item>();
  const verdicts = new Map<string, Verdict>();
  const readings = new Map<string, Reading>();
  const facts = new Map<string, EventRecord>();
  const asked: string[] = [];
  let nowMs = Date.UTC(2026, 10, 1);

  const lookUp: LookUp = {
    reading: (type, id) => readings.get(`${type} ${id}`),
    reported(invoiceId) {
      for (const fact of facts.values()) {
        if (fact.eventType !== 'purchase-created' || fact.purchase.invoiceId !== invoiceId)
          continue;
        return { ucc: fact.ucc, newUserId: fact.newUser.id, taxPolicy };
      }
      return undefined;
    },
  };

  function common(subject: string) {
    nowMs += 1;
    return {
      schemaVersion: 1 as const,
      ...{ tenantId: 'acme', connectionId: 'c0ffee1234567890abcdef', processor: 'stripe' as const },
      ...{ subject, taxPolicy, receivedAt: new Date(nowMs).toISOString() },
    };
  }

  function apply(written: ProcessorRecord) {
    const decoded = processorCodec.decode(Buffer.from(processorCodec.encode(written)));
    if (decoded.outcome !== 'record') throw new Error(`the record is ${decoded.outcome}`);
    const record = decoded.value;
    for (const { type, id, reading } of readingsOf(record)) {
      const name = `${type} ${id}`;
      readings.set(name, nextReading(readings.get(name), reading));
    }
    const item = itemOf(record);
    if (item) {
      const before = items.get(item.objectId);
      items.set(item.objectId, before ? betterTelling(before, item) : item);
    }
    evaluateAll();
  }

  function evaluateAll() {
    const turn = (item: Item) => Number(item.type === 'charge');
    for (const item of [...items.values()].sort((a, b) => turn(a) - turn(b))) {
      const verdict = evaluateItem(item, lookUp, { metadataTtlMs });
      verdicts.set(item.objectId, verdict);
      if (!('facts' in verdict)) continue;
      for (const fact of verdict.facts) {
        if (!facts.has(fact.eventId)) facts.set(fact.eventId, fact);
      }
    }
  }

  function needs(again: boolean): Need[] {
    const isDue = (verdict: Verdict) =>
      again ||
      (verdict.state === 'waiting' && verdict.reason === 'incomplete') ||
      verdict.state === 'reported';
    return [...verdicts.values()].filter(isDue).flatMap((verdict): Need[] => verdict.needs);
  }

  function ask({ type, id, since }: Need) {
    const reading = readings.get(`${type} ${id}`);
    if (reading && (since === undefined || reading.receivedAt >= since)) return;
    asked.push(`${type} ${id}`);
    const object = answer(account, shape, type, id);
    apply({ ...common('cus'), type: 'fetched', cause: 'need', object });
  }

  return {
    asked,
    report(event) {
      const read = readStripeEvent(JSON.parse(event.body(shape)));
      if (read.outcome !== 'event') throw new Error(JSON.stringify(read.violations));
      const { id, kind, livemode, createdAt, apiVersion } = read.event;
      const object = readEventObject(kind, read.event.object);
      const subject = object ? subjectOf(object) : id;
      const details = { processorEventId: id, kind, livemode, createdAt, apiVersion };
      const rest = object ? { object } : { ignored: 'kind-not-used' as const };
      apply({ ...common(subject), type: 'received', ...details, ...rest });
    },
    settle({ again = false } = {}) {
      for (const need of again ? needs(true) : []) ask(need);
      for (let rounds = 0; needs(false).length > 0; rounds++) {
        if (rounds > 20) throw new Error(`asked without end: ${asked.slice(-3).join()}`);
        for (const need of needs(false)) ask(need);
      }
    },
    wait(ms) {
      nowMs += ms;
    },
    verdictOf(objectId) {
      const verdict = verdicts.get(objectId);
      if (!verdict) throw new Error(`nothing was told of ${objectId}`);
      return verdict;
    },
    itemOf(objectId) {
      const item = items.get(objectId);
      if (!item) throw new Error(`nothing was told of ${objectId}`);
      return item;
    },
    facts: () => [...facts.values()].sort((a, b) => (a.eventId < b.eventId ? -1 : 1)),
  };
}

/** As Stripe has it now, in that shape, with what `readFetched` wants expanded. */
function answer(
  account: StripeAccount,
  shape: StripeShape,
  type: FetchedType,
  id: string,
): StripeObject {
  const raw = rawAnswer(account, shape, type, id);
  if (raw === undefined) return { object: 'absent', type, id };
  const read = readFetched(type, id, raw);
  if (read.outcome !== 'object') throw new Error(read.detail);
  return read.object;
}

function rawAnswer(
  account: StripeAccount,
  shape: StripeShape,
  type: FetchedType,
  id: string,
): unknown {
  const { store } = account;
  const context = { store, shape };
  switch (type) {
    case 'refunds':
      return refundsOf(store, id).map((refund) => shapeRefund(context, refund));
    case 'invoice-payments':
      return paymentsOf(store, id).map((payment) => {
        const shaped = shapeInvoicePayment(context, payment);
        const intent = payment.paymentIntentId;
        if (intent === null) return shaped;
        return { ...shaped, payment: { payment_intent: account.shaped(intent, shape) } };
      });
    case 'payment-invoice':
      return [...store.invoicePayments.values()]
        .filter(({ paymentIntentId }) => paymentIntentId === id)
        .map((payment) => shapeInvoicePayment(context, payment));
    case 'invoice-lines': {
      const invoice = store.invoices.get(id);
      return invoice?.lines.map((line) => shapeLine(context, invoice, line));
    }
    case 'session-lines': {
      const session = store.sessions.get(id);
      return session?.lines.map((line) => shapeSessionLine(context, session, line));
    }
    case 'checkout-session':
      if (!id.startsWith('pi_')) return shapedOrAbsent(account, shape, id);
      return [...store.sessions.values()]
        .filter(({ paymentIntentId }) => paymentIntentId === id)
        .map((session) => account.shaped(session.id, shape));
    case 'payment-intent': {
      const charge = store.intents.get(id)?.chargeId;
      const latest = charge ? account.shaped(charge, shape) : null;
      return { ...account.shaped(id, shape), latest_charge: latest };
    }
    case 'customer':
    case 'price':
    case 'invoice':
    case 'charge':
      return shapedOrAbsent(account, shape, id);
    default:
      return type satisfies never;
  }
}

function shapedOrAbsent(account: StripeAccount, shape: StripeShape, id: string): unknown {
  const { customers, prices, invoices, charges, sessions } = account.store;
  const isThere = [customers, prices, invoices, charges, sessions].some((map) => map.has(id));
  return isThere ? account.shaped(id, shape) : undefined;
}

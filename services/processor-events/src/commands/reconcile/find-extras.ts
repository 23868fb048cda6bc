import type { EventRecord } from '@tributary/contracts/event-record';
import { findPurchasesMade, findRefundsMade, type MadeFact } from '../../db/find-known.ts';
import type { Queryable } from '../../db/queryable.ts';
import { type AskStripe, inParallel } from './ask-stripe.ts';
import { amountsOf, type Finding } from './finding.ts';
import type { Walk } from './walk.ts';
import type { FactPlace, Span } from '../../domain/fact-place.ts';

/** Facts that one call asks Stripe for; the next call goes on. */
export const mostExtrasAsked = 50;
const atOnce = 8;

export type Extras = { findings: Finding[]; /** Where the next call goes on. */ below?: FactPlace };

/**
 * Facts of a span of time whose object Stripe did not list: each is asked for by its id, and is
 * extra when Stripe does not have it, or not as paid or given back.
 *
 * @throws {StripeRefuses}
 */
export async function findExtras(
  db: Queryable,
  walk: Walk,
  asked: {
    tenantId: string;
    connectionId: string;
    span: Span;
    below?: FactPlace;
    /** Ids of the page's own invoices, sessions or refunds. */
    listed: ReadonlySet<string>;
    ask: AskStripe;
  },
): Promise<Extras> {
  const { tenantId, connectionId, span, below, listed, ask } = asked;
  // A whole page may be as it is to be; of the rest no more than one call can ask.
  const limit = listed.size + mostExtrasAsked + 1;
  const made = await findMade(db, walk, { tenantId, connectionId, span, below, limit });
  const suspects = made.filter((fact) => !listed.has(idOf(fact)) && isSince(walk, fact.record));
  const taken = suspects.slice(0, mostExtrasAsked);
  const found = await inParallel(taken, atOnce, (fact) => checkAtStripe(fact, ask));
  const findings = found.filter((finding) => finding !== undefined);
  const last = taken.length < suspects.length ? taken.at(-1) : made.at(-1);
  const isWhole = taken.length === suspects.length && made.length < limit;
  return { findings, ...(!isWhole && last && { below: last.place }) };
}

type Made = Parameters<typeof findRefundsMade>[1];

function findMade(db: Queryable, { kind }: Walk, asked: Made): Promise<MadeFact[]> {
  switch (kind) {
    case 'invoices':
      return findPurchasesMade(db, 'invoice', asked);
    case 'sessions':
      return findPurchasesMade(db, 'checkout-session', asked);
    case 'refunds':
      return findRefundsMade(db, asked);
    default:
      return kind satisfies never;
  }
}

function isSince({ since }: Walk, { occurredAtSeconds }: EventRecord): boolean {
  return Number(occurredAtSeconds) >= since;
}

function refundIdOf({ record }: MadeFact): string | undefined {
  return record.eventType === 'purchase-refunded' ? record.refund.refundId : undefined;
}

function idOf(fact: MadeFact): string {
  return refundIdOf(fact) ?? fact.objectId;
}

async function checkAtStripe(fact: MadeFact, ask: AskStripe): Promise<Finding | undefined> {
  const detail = await whyExtra(fact, ask);
  if (detail === undefined) return undefined;
  return {
    finding: 'extra',
    type: fact.type === 'charge' ? 'refund' : fact.type,
    objectId: idOf(fact),
    itemId: fact.place.itemId,
    state: 'reported',
    ...amountsOf(fact.record),
    detail,
  };
}

/** What Stripe says against the fact; undefined when nothing. */
async function whyExtra(fact: MadeFact, ask: AskStripe): Promise<string | undefined> {
  const { type, objectId } = fact;
  // A charge tells of its refunds, a list of them their states.
  const object = await ask(type === 'charge' ? 'refunds' : type, objectId);
  switch (object.object) {
    case 'absent':
      return `Stripe has no ${type} ${objectId}.`;
    case 'invoice':
      return object.status === 'paid' ? undefined : withStatus('invoice', object.status);
    case 'checkout-session':
      return object.paymentStatus === 'paid'
        ? undefined
        : withStatus('session', object.paymentStatus);
    case 'refunds': {
      const refund = object.refunds.find(({ id }) => id === refundIdOf(fact));
      if (!refund) return `Stripe has no such refund of ${objectId}.`;
      const isFailed = refund.status === 'failed' || refund.status === 'canceled';
      return isFailed ? withStatus('refund', refund.status) : undefined;
    }
    default:
      // It is there, in a shape that is not understood.
      return undefined;
  }
}

function withStatus(what: string, status: string | null): string {
  return `Stripe has the ${what} with status ${status ?? 'unknown'}.`;
}

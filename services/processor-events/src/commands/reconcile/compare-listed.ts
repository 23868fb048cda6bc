import { isDeepStrictEqual } from 'node:util';
import type { Background } from '../../db/find-background.ts';
import type { Known, KnownFact } from '../../db/find-known.ts';
import { differencesOf } from '../../domain/compare-facts.ts';
import { betterTelling } from '../../domain/item-of.ts';
import type { Item } from '../../domain/model.ts';
import type { AskStripe } from './ask-stripe.ts';
import { amountsOf, type Finding, momentOf } from './finding.ts';
import { evaluateNow, wantedOf } from './evaluate-now.ts';
import { type Payment, tellingOf } from './listed.ts';

export type Comparison = {
  tenantId: string;
  connectionId: string;
  /** The policy that the connection has now. */
  taxPolicy: Item['taxPolicy'];
  /** UTC with milliseconds. */
  now: string;
  background: Background;
  ask: AskStripe;
};

/** A finding, and the object that is to be appended for it when that is wanted. */
export type Compared = { finding: Finding; append?: Item['object'] };

/**
 * What Stripe lists against what is held here. Undefined: as it is to be.
 *
 * @throws {StripeRefuses}
 */
export async function compareListed(
  payment: Payment,
  known: Known | undefined,
  comparison: Comparison,
): Promise<Compared | undefined> {
  const fact = known && factOf(payment, known);
  if (payment.failed !== undefined) {
    if (!fact) return undefined;
    const detail = `Stripe has the ${payment.type} with status ${payment.failed}.`;
    return { finding: { ...aboutFact('extra', payment, known, fact), detail } };
  }
  if (!fact) return missing(payment, known, comparison);
  return different(payment, known, fact, comparison);
}

/** An invoice or a session has one fact at most; a charge has one for each refund. */
function factOf({ type, objectId }: Payment, known: Known): KnownFact | undefined {
  if (type !== 'refund') return known.facts[0];
  return known.facts.find(
    ({ record }) => record.eventType === 'purchase-refunded' && record.refund.refundId === objectId,
  );
}

function missing(payment: Payment, known: Known | undefined, comparison: Comparison): Compared {
  const { type, objectId, occurredAt, amount, currency, object } = payment;
  const finding: Finding = {
    ...{ finding: 'missing', type, objectId },
    ...(known && { itemId: known.item.itemId, state: known.state }),
    ...(known?.reason && { reason: known.reason }),
    ...(!known && object === null && { reason: 'unreadable' }),
    occurredAt: momentOf(occurredAt),
    amount,
    currency: currency?.toUpperCase() ?? null,
  };
  const isNews = object !== null && (!known || hasMore(object, known, comparison));
  return isNews ? { finding, append: object } : { finding };
}

/**
 * Whether a record of it would change anything: what is held and waits, or is unmatched, does so
 * whatever it is reported again. A charge whose refund has no fact is looked at again in any case,
 * and so is what another connection was asked for: that may be disconnected, and this one sees the
 * object.
 */
function hasMore(object: Item['object'], known: Known, comparison: Comparison): boolean {
  const { now: receivedAt, tenantId, connectionId, taxPolicy } = comparison;
  if (known.state === 'reported' || known.askedOf !== connectionId) return true;
  const telling = tellingOf(object, { tenantId, connectionId, taxPolicy, receivedAt });
  const joined = betterTelling(known.item, telling);
  return (
    joined.ignored !== known.item.ignored || !isDeepStrictEqual(joined.object, known.item.object)
  );
}

async function different(
  payment: Payment,
  known: Known,
  fact: KnownFact,
  comparison: Comparison,
): Promise<Compared | undefined> {
  const { object } = payment;
  // What is not understood now was, when the fact was made of it.
  if (object === null) return undefined;
  const verdict = await evaluateNow({ ...comparison, known, fact, object });
  const wanted = wantedOf(verdict, fact.record);
  const finding = aboutFact('different', payment, known, fact);
  if (!wanted) {
    const why = 'reason' in verdict ? ` ${verdict.reason}` : '';
    return { finding: { ...finding, detail: `There would be no fact: ${verdict.state}${why}.` } };
  }
  const differences = differencesOf(fact.record, wanted);
  return differences.length === 0 ? undefined : { finding: { ...finding, differences } };
}

function aboutFact(
  finding: 'different' | 'extra',
  { type, objectId }: Pick<Payment, 'type' | 'objectId'>,
  known: Known,
  { record }: KnownFact,
): Finding {
  const { item, state } = known;
  return { finding, type, objectId, itemId: item.itemId, state, ...amountsOf(record) };
}

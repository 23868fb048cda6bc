import type {
  PurchaseCreatedEvent,
  PurchaseRefundedEvent,
} from '@tributary/contracts/event-record';
import { toHolder } from './claim.ts';
import { type DecisionContent, decisionOn } from './decision.ts';
import { countedAs, flagsOf } from './duplicate.ts';
import { type Fact, namesOf } from './fact.ts';
import { refundKeyOf } from './invoice.ts';
import type { DecisionContext } from './decision-context.ts';
import { createTrial, type Trial } from './trial.ts';

/**
 * A refund follows its purchase, whatever its own code and user say: they are only compared (design
 * 7, "Refunds"). Without the purchase it waits.
 */
export function decideRefund(
  given: Fact,
  context: DecisionContext,
  decidePurchase: (purchase: Fact, context: DecisionContext) => DecisionContent,
): DecisionContent {
  const { event } = given;
  if (event.eventType !== 'purchase-refunded') throw new Error('not a refund');
  const [name] = namesOf(given);
  const invoice = name === undefined ? undefined : context.invoices.get(name);
  if (name !== undefined && !invoice) throw new Error('a refund of an invoice without it');
  const first = invoice?.refunds.get(refundKeyOf({ ...given, event }));
  const holderOfKey = first ? toHolder(first) : context.claims.get(given.businessKey)?.holder;
  const { fact, holder, test } = countedAs(given, holderOfKey, context);

  const trial = createTrial();
  const flags = flagsOf(fact, holder);
  const verdict = { flags, tests: trial.tests };
  trial.tests.push(test);
  if (!test.passed) {
    return decisionOn(fact, {
      ...verdict,
      outcome: 'not-attributed',
      reason: 'duplicate',
      duplicateOf: holder.eventId,
    });
  }

  const purchase = invoice?.purchase;
  if (!purchase || !tryCurrency(trial, event, purchase.event)) {
    if (purchase) flags.push('currency-mismatch');
    else {
      const detail = 'the refund is kept and waits: it has not been matched with a purchase';
      trial.fail(toReverse, detail);
    }
    return decisionOn(fact, { ...verdict, outcome: 'waiting', reason: 'refund-without-purchase' });
  }
  flags.push(...differences(event, purchase.event));
  if (invoice.exceeding.has(event.eventId)) flags.push('refund-exceeds-purchase');
  return follow(fact, verdict, trial, decidePurchase(purchase, context));
}

const toReverse = 'purchase to reverse';

function tryCurrency(
  trial: Trial,
  { refund }: PurchaseRefundedEvent,
  { eventId, purchase }: PurchaseCreatedEvent,
): boolean {
  const found = `event ${eventId} is the purchase of this invoice`;
  if (refund.currency === purchase.currency) {
    trial.pass(toReverse, found);
    return true;
  }
  const differ = `it was paid in ${purchase.currency}, not ${refund.currency}`;
  trial.fail(toReverse, `${found}, but ${differ}; the refund is kept and waits`);
  return false;
}

function differences(refund: PurchaseRefundedEvent, purchase: PurchaseCreatedEvent): string[] {
  return [
    // The legacy endpoint takes refunds without any code.
    ...(refund.ucc !== '' && refund.ucc !== purchase.ucc ? ['ucc-differs'] : []),
    ...(refund.newUser.id === purchase.newUser.id ? [] : ['user-differs']),
  ];
}

function follow(
  fact: Fact,
  verdict: Pick<DecisionContent, 'flags' | 'tests'>,
  trial: Trial,
  purchase: DecisionContent,
): DecisionContent {
  const test = 'purchase attributed';
  const { outcome, reason, campaignId, campaignRevision, referrerId, waitsUntil } = purchase;
  const why = `the purchase, event ${purchase.eventId}, is ${reason ?? outcome}`;
  if (outcome === 'attributed') trial.pass(test, why);
  else trial.fail(test, why);
  return decisionOn(fact, {
    ...verdict,
    outcome,
    refundOf: purchase.eventId,
    ...(reason !== undefined && { reason }),
    ...(campaignId !== undefined && { campaignId }),
    ...(campaignRevision !== undefined && { campaignRevision }),
    ...(referrerId !== undefined && { referrerId }),
    ...(waitsUntil !== undefined && { waitsUntil }),
  });
}

import type { DecisionTest } from '@tributary/contracts/decision-record';
import { type Holder, toHolder } from './claim.ts';
import { type Fact, hasDerivedKey, paymentOf } from './fact.ts';
import { secondsOf } from './seconds.ts';
import type { DecisionContext } from './decision-context.ts';
import { isUntimed, untimedPaymentOf } from './untimed-payments.ts';

const test = 'not a duplicate';

/** What a fact counts as, among all that report the same. */
export type Counted = {
  /** With the business key that it counts under. */
  fact: Fact;
  /** Who holds that key; another event makes this one a duplicate. */
  holder: Holder;
  test: DecisionTest;
};

/** `holder`: of the key as it is on the fact. */
export function countedAs(
  fact: Fact,
  holder: Holder | undefined,
  context: DecisionContext,
): Counted {
  if (isUntimed(fact, context.foldVersion)) return countedInSeries(fact, context);
  if (!holder) throw new Error('a business key that nobody holds');
  const { eventId, source } = holder;
  const passed = eventId === fact.event.eventId;
  const detail = passed
    ? 'of all events that report this, this one comes first'
    : `event ${eventId} from ${source} reports the same and comes first`;
  return { fact, holder, test: { test, passed, detail } };
}

/** All events of a series have the same user and amount; they differ in when they came. */
function countedInSeries(fact: Fact, context: DecisionContext): Counted {
  const { businessKey, first, detail } = untimedPaymentOf(fact, context);
  const { eventId, receivedAt } = first;
  return {
    fact: { ...fact, businessKey },
    holder: { ...toHolder(fact), eventId, receivedAt, occurredAtSeconds: secondsOf(receivedAt) },
    test: { test, passed: eventId === fact.event.eventId, detail },
  };
}

/** What somebody should look at, whatever the outcome; in a fixed order. */
export function flagsOf(fact: Fact, holder: Holder): string[] {
  const { event } = fact;
  const flags: string[] = [];
  if (hasDerivedKey(fact)) flags.push('derived-business-key');
  if (holder.eventId === event.eventId) return flags;
  const payment = paymentOf(event);
  if (payment && (payment.amount !== holder.amount || payment.currency !== holder.currency)) {
    flags.push('amount-differs');
  }
  if (event.newUser.id !== holder.newUserId) flags.push('user-differs');
  return flags;
}

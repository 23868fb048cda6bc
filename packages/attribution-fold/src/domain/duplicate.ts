import type { Holder } from './claim.ts';
import { type Fact, hasDerivedKey, paymentOf } from './fact.ts';

export const notADuplicate = {
  test: 'not a duplicate',
  detail: 'of all events that report this, this one comes first',
} as const;

/** Why the fact is one, in a sentence; undefined when it holds its business key itself. */
export function duplicateOf({ event }: Fact, holder: Holder): string | undefined {
  if (holder.eventId === event.eventId) return undefined;
  return `event ${holder.eventId} from ${holder.source} reports the same and comes first`;
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

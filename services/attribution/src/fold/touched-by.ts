import type { RecomputeJob } from '../db/recompute-jobs.ts';
import { type Fact, namesOf, userKeyOf } from '@tributary/attribution-fold/fact';
import type { Gathered, Work } from './gather.ts';

/**
 * All facts to be decided in this transaction: those asked for, all of users that were summed up
 * anew, and refunds that follow one of their purchases. Refunds of users that are not locked, and
 * users with too many facts, are left to the sweeper.
 */
export function touchedBy(
  work: Work,
  { context, wholeUsers, tooLarge }: Gathered,
): { facts: Fact[]; left: RecomputeJob[] } {
  const facts = new Map(work.facts.map((fact) => [fact.event.eventId, fact]));
  if (!work.sumOnly) {
    for (const fact of [...wholeUsers.values()].flat()) facts.set(fact.event.eventId, fact);
  }
  const left = new Map<string, RecomputeJob>();
  for (const key of tooLarge) {
    const user = work.users.get(key);
    if (!user) continue;
    const { tenantId, newUserId: subject } = user;
    left.set(`user ${key}`, { tenantId, scope: 'user', subject });
  }
  for (const fact of [...facts.values()]) {
    const { event, businessKey } = fact;
    if (event.eventType !== 'purchase-created') continue;
    const invoice = context.invoices.get(namesOf(fact)[0] ?? '');
    if (invoice?.purchase?.event.eventId !== event.eventId) continue;
    for (const refund of invoice.all) {
      if (facts.has(refund.event.eventId)) continue;
      if (work.users.has(userKeyOf(refund))) facts.set(refund.event.eventId, refund);
      else {
        const { tenantId } = event;
        left.set(`claim ${businessKey}`, { tenantId, scope: 'claim', subject: businessKey });
      }
    }
  }
  return { facts: [...facts.values()], left: [...left.values()] };
}

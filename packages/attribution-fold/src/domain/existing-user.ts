import { compareDecimal } from '@tributary/contracts/canonical-order';
import { type Fact, userKeyOf } from './fact.ts';
import { campaignStart, type Revision } from './revision.ts';
import { plusSeconds, secondsOf, secondsPerDay } from './seconds.ts';
import type { DecisionContext } from './decision-context.ts';
import { quoted, type Trial } from './trial.ts';

/**
 * Only where the revision excludes users that were there before. Who boots the widget is given a
 * code, often in the seconds before their signup is reported: for so long it tells of nobody that
 * they were there.
 */
export function tryNewUser(
  trial: Trial,
  fact: Fact,
  revision: Revision,
  campaign: readonly Revision[],
  { users }: DecisionContext,
): boolean {
  if (revision.existingUsers !== 'exclude') return true;
  const test = 'not an existing user';
  const { firstReceivedAt, ownsCodeSince } = users.get(userKeyOf(fact)) ?? {};
  if (firstReceivedAt === undefined) throw new Error('a user of a fact without a fact');
  const first = secondsOf(firstReceivedAt);
  const user = `user ${quoted(fact.event.newUser.id)}`;
  const came = `the first event about them came at ${firstReceivedAt}`;
  if (ownsCodeSince !== undefined && hadCodeBefore(firstReceivedAt, ownsCodeSince)) {
    trial.fail(
      test,
      `${user} owns a code since ${ownsCodeSince}, for more than 24 hours when ${came}`,
    );
    return false;
  }
  const start = campaignStart(campaign);
  if (start !== undefined && compareDecimal(first, start) < 0) {
    trial.fail(test, `${user} was there before the campaign began; ${came}`);
    return false;
  }
  const had =
    ownsCodeSince === undefined ? 'owned no code' : 'had owned no code for more than 24 hours';
  trial.pass(test, `${user} ${had}, and the campaign had begun, when ${came}`);
  return true;
}

/**
 * Without the widget's report, the user would be an existing one to a campaign that excludes them.
 */
export function isNewByWidget(fact: Fact, revision: Revision, { users }: DecisionContext): boolean {
  const { firstReportedAt, ownsCodeSince } = users.get(userKeyOf(fact)) ?? {};
  if (revision.existingUsers !== 'exclude' || ownsCodeSince === undefined) return false;
  return typeof firstReportedAt === 'string' && hadCodeBefore(firstReportedAt, ownsCodeSince);
}

/** For more than 24 hours. */
function hadCodeBefore(at: string, ownsCodeSince: string): boolean {
  const dayAfter = plusSeconds(secondsOf(ownsCodeSince), secondsPerDay);
  return compareDecimal(dayAfter, secondsOf(at)) < 0;
}

import { cutFraction } from '@tributary/contracts/cut-fraction';
import { compareDecimal } from '@tributary/contracts/canonical-order';
import type { DecisionReview, NotAttributedReason } from '@tributary/contracts/decision-record';
import { always, revisionInForce } from '@tributary/contracts/revision-in-force';
import { recordKey } from '@tributary/contracts/topics';
import { codeAt, type CodeHistory, issuedTooLate, waitsUntil } from './code-history.ts';
import type { DecisionContent } from './decision.ts';
import { isNewByWidget, tryNewUser } from './existing-user.ts';
import { type Fact, userKeyOf } from './fact.ts';
import { inForceAt } from './in-force-at.ts';
import type { Revision } from './revision.ts';
import { plusSeconds, secondsPerDay } from './seconds.ts';
import { comparePrecedence, isRecovered, precedenceOf } from './precedence.ts';
import { referralKey, type DecisionContext } from './decision-context.ts';
import { quoted, type Trial } from './trial.ts';

/**
 * The code by which a fact is evaluated, and the time at which that code must be known and enabled.
 */
export type CodeInQuestion = {
  ucc: string;
  evaluatedAt: string;
  /** Asked only whether it may bind the user: the window is left out. */
  toBind?: boolean;
  /** It binds the user by this event, which no backend reported. */
  recoveredBy?: string;
};

type Rejected = Pick<DecisionContent, 'campaignId' | 'campaignRevision' | 'waitsUntil'> & {
  reason: NotAttributedReason;
  outcome?: 'waiting';
};

export type Accepted = {
  reason?: never;
  campaignId: string;
  campaignRevision: number;
  referrerId: string;
  review?: DecisionReview[];
};

/** The tests of a code on a fact, in their order, up to the first that fails. */
export function tryCode(
  trial: Trial,
  fact: Fact,
  question: CodeInQuestion,
  context: DecisionContext,
): Accepted | Rejected {
  const { event } = fact;
  const history = context.codes.get(recordKey(event.tenantId, question.ucc));
  const unknown = tryKnown(trial, question, history);
  if (unknown || !history) return unknown ?? { reason: 'unknown-code' };

  const { campaignId, ownerId, disabledSince } = codeAt(history, question.evaluatedAt);
  if (disabledSince !== undefined) {
    trial.fail(
      'code enabled',
      `the code is disabled since ${disabledSince}; the event came at ${question.evaluatedAt}`,
    );
    return { reason: 'code-disabled', campaignId };
  }
  trial.pass(
    'code enabled',
    `the code was enabled when the event came, at ${question.evaluatedAt}`,
  );

  const users = `the referred user is ${quoted(event.newUser.id)}, the owner ${quoted(ownerId)}`;
  if (ownerId === event.newUser.id) {
    trial.fail(
      'not a self-referral',
      `the referred user ${quoted(event.newUser.id)} owns the code`,
    );
    return { reason: 'self-referral', campaignId };
  }
  trial.pass('not a self-referral', users);

  const campaign = context.campaigns.get(recordKey(event.tenantId, campaignId)) ?? [];
  const at = inForceAt(event, context.foldVersion);
  const running = tryRunning(trial, at, { campaignId, campaign });
  if (!running.revision) return running.rejected;
  const { revision } = running;
  const chosen = { campaignId, campaignRevision: revision.revision };

  if (!tryNewUser(trial, fact, revision, campaign, context)) {
    return { reason: 'existing-user', ...chosen };
  }
  if (!question.toBind && !tryWindow(trial, fact, revision, context)) {
    return { reason: 'outside-window', ...chosen };
  }
  const loop = tryLoop(trial, fact, ownerId, revision, context);
  if (loop === 'reject') return { reason: 'self-referral', ...chosen };
  const review: DecisionReview[] = loop === 'review' ? ['referral-loop'] : [];
  if (noteRecovery(trial, fact, question, revision, context)) review.push('recovered-signup');
  return { ...chosen, referrerId: ownerId, ...(review.length > 0 && { review }) };
}

/** A browser's report attributes, but pays nobody until an operator has looked. */
function noteRecovery(
  trial: Trial,
  fact: Fact,
  { recoveredBy }: CodeInQuestion,
  revision: Revision,
  context: DecisionContext,
): boolean {
  const what = isRecovered(fact.event)
    ? 'no backend reported it: the widget did, by a link that the browser had followed'
    : recoveredBy !== undefined
      ? `event ${recoveredBy} binds the user, which no backend reported but the widget`
      : isNewByWidget(fact, revision, context)
        ? 'but for what the widget told, the user had owned a code for more than 24 hours before'
        : undefined;
  if (what === undefined) return false;
  trial.pass('recovered by the widget', `${what}; what it earns is to be reviewed`);
  return true;
}

function tryKnown(
  trial: Trial,
  { ucc, evaluatedAt }: CodeInQuestion,
  history: CodeHistory | undefined,
): Rejected | undefined {
  const test = 'code known';
  if (!history) {
    const until = waitsUntil(evaluatedAt);
    trial.fail(test, `nobody has published code ${quoted(ucc)}; the event waits until ${until}`);
    return { reason: 'unknown-code', outcome: 'waiting', waitsUntil: until };
  }
  const late = issuedTooLate(history, evaluatedAt);
  const { campaignId, ownerId } = codeAt(history, evaluatedAt);
  if (late !== undefined) {
    const issued = `code ${quoted(ucc)} was issued at ${history[0]?.at}`;
    trial.fail(test, `${issued}, more than ${late} after the event came, at ${evaluatedAt}`);
    return { reason: 'unknown-code' };
  }
  trial.pass(
    test,
    `code ${quoted(ucc)} belongs to user ${quoted(ownerId)} in campaign ${quoted(campaignId)}`,
  );
  return undefined;
}

type Running = { revision: Revision; rejected?: never } | { revision?: never; rejected: Rejected };

function tryRunning(
  trial: Trial,
  at: ReturnType<typeof inForceAt>,
  { campaignId, campaign }: { campaignId: string; campaign: readonly Revision[] },
): Running {
  const test = 'campaign running';
  const reason = 'campaign-not-running';
  const revision = revisionInForce(campaign, at.seconds);
  if (!revision) {
    trial.fail(test, `no revision of campaign ${quoted(campaignId)} was in effect at ${at.text}`);
    return { rejected: { reason, campaignId } };
  }
  const from = revision.effectiveFrom === always ? 'always' : revision.effectiveFrom;
  const inForce = `revision ${revision.revision} of the campaign, in effect from ${from},`;
  if (revision.status !== 'running') {
    trial.fail(test, `${inForce} had stopped the campaign at ${at.text}`);
    return { rejected: { reason, campaignId, campaignRevision: revision.revision } };
  }
  trial.pass(test, `${inForce} was running at ${at.text}`);
  return { revision };
}

/** Applies to purchases only, and only where the revision has a window. */
function tryWindow(
  trial: Trial,
  fact: Fact,
  { attributionWindowDays: days }: Revision,
  { users }: DecisionContext,
): boolean {
  const { event } = fact;
  if (days === undefined || event.eventType !== 'purchase-created') return true;
  const first = users.get(userKeyOf(fact))?.first;
  if (!first) throw new Error('a user of a purchase without a first fact');
  const test = 'within the attribution window';
  const end = plusSeconds(first.occurredAtSeconds, days * secondsPerDay);
  const since = `${days} days from the user's first event, ${first.eventId}`;
  if (compareDecimal(event.occurredAtSeconds, end) > 0) {
    trial.fail(
      test,
      `the purchase occurred at ${cutFraction(event.occurredAt)}, later than ${since}`,
    );
    return false;
  }
  trial.pass(
    test,
    `the purchase occurred at ${cutFraction(event.occurredAt)}, not later than ${since}`,
  );
  return true;
}

/**
 * Two users who refer each other: what came first stands (backends' facts, then by the canonical
 * order), by the facts and the owners of their codes alone. A decision that looked at decisions
 * could go round for ever.
 */
function tryLoop(
  trial: Trial,
  { event }: Fact,
  ownerId: string,
  { referralLoops = 'reject' }: Revision,
  { referrals }: DecisionContext,
): 'none' | 'review' | 'reject' {
  if (referralLoops === 'allow') return 'none';
  const { tenantId, newUser } = event;
  const test = 'no referral loop';
  const [user, owner] = [quoted(newUser.id), quoted(ownerId)];
  const opposite = referrals.get(referralKey(tenantId, ownerId, newUser.id));
  // A referral that is not noted yet will be, with a work order for whom it concerns.
  const own = referrals.get(referralKey(tenantId, newUser.id, ownerId)) ?? precedenceOf(event);
  if (!opposite) {
    trial.pass(test, `no event about ${owner} carries a code of ${user}`);
    return 'none';
  }
  if (comparePrecedence(own, opposite) < 0) {
    const stands =
      opposite.recovered && !own.recovered
        ? `only the widget tells that ${user} referred ${owner}, by event ${opposite.eventId}`
        : `${owner} referred ${user} before ${user} referred ${owner}`;
    trial.pass(test, stands);
    return 'none';
  }
  const detail = `event ${opposite.eventId} had made ${owner} a referral of ${user} before`;
  if (referralLoops === 'reject') {
    trial.fail(test, detail);
    return 'reject';
  }
  trial.pass(test, `${detail}; what this one earns is to be reviewed`);
  return 'review';
}

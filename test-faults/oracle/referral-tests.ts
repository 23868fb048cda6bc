import type { CampaignRevisionRecord } from '@tributary/contracts/catalog-record';
import type { CodeRecord } from '@tributary/contracts/code-record';
import type { DecisionRecord, DecisionReview } from '@tributary/contracts/decision-record';
import type { EventRecord } from '@tributary/contracts/event-record';
import { isEnabled, isInTime, issueOf, issuesTo, ownerOf, revisionAt, startOf } from './codes.ts';
import { compare } from './rational.ts';
import {
  addDays,
  bestReported,
  factsOf,
  instant,
  isPurchase,
  isRecovered,
  isReferral,
  occurred,
  type Referral,
  type World,
} from './world.ts';

export type Reason = NonNullable<DecisionRecord['reason']>;

/** What a code makes of an event, short of whether the event is a duplicate. */
export type Referred =
  | { passed: false; reason: Reason; waits: boolean }
  | {
      passed: true;
      issue: CodeRecord;
      revision: CampaignRevisionRecord;
      reviews: DecisionReview[];
    };

/**
 * Evaluates an event by a code: its own, or the one that an earlier fact bound. What the code was
 * like is then asked of the time of that fact.
 */
export function evaluate(
  world: World,
  event: Referral,
  ucc: string,
  evaluatedBy: Referral,
): Referred {
  const code = evaluateCode(world, event, ucc, evaluatedBy);
  if (code.passed && isOutsideWindow(world, event, code.revision)) return failed('outside-window');
  const referred = withLoop(world, event, code);
  if (!referred.passed) return referred;
  const isBrowserReported =
    [event, evaluatedBy].some(isRecovered) || isNewByBrowser(world, event, code);
  if (!isBrowserReported) return referred;
  return { ...referred, reviews: [...referred.reviews, 'recovered-signup'] };
}

/**
 * Whether an event's own code binds its user: the window of a purchase says nothing of the code.
 */
export function bindsByItself(world: World, event: Referral): boolean {
  return withLoop(world, event, evaluateCode(world, event, event.ucc, event)).passed;
}

function evaluateCode(world: World, event: Referral, ucc: string, evaluatedBy: Referral): Referred {
  const issue = issueOf(world, ucc);
  if (issue === undefined) return { passed: false, reason: 'unknown-code', waits: true };
  if (!isInTime(issue, evaluatedBy.receivedAt)) return failed('unknown-code');
  if (!isEnabled(world, ucc, evaluatedBy.receivedAt)) return failed('code-disabled');
  if (issue.productUserId === event.newUser.id) return failed('self-referral');
  const revision = revisionAt(world, issue.campaignId, event);
  if (revision?.status !== 'running') return failed('campaign-not-running');
  const excludes = revision.existingUsers === 'exclude';
  const facts = factsOf(world, event.newUser.id);
  if (excludes && isExistingUser(world, event.newUser.id, facts, issue.campaignId)) {
    return failed('existing-user');
  }
  return { passed: true, issue, revision, reviews: [] };
}

function withLoop(world: World, event: Referral, referred: Referred): Referred {
  if (!referred.passed) return referred;
  if (!isSecondOfLoop(world, event.newUser.id, referred.issue.productUserId)) return referred;
  const answer = referred.revision.referralLoops ?? 'reject';
  if (answer === 'reject') return failed('self-referral');
  return { ...referred, reviews: answer === 'review' ? ['referral-loop'] : [] };
}

/** Excluded but for what a browser reported of them: by the backends' events alone. */
function isNewByBrowser(world: World, { newUser }: Referral, code: Referred): boolean {
  if (!code.passed || code.revision.existingUsers !== 'exclude') return false;
  const facts = factsOf(world, newUser.id).filter((event) => !isRecovered(event));
  return isExistingUser(world, newUser.id, facts, code.issue.campaignId);
}

/**
 * They had owned a code for a day when the first word of them came, or it came before the campaign.
 */
function isExistingUser(
  world: World,
  userId: string,
  facts: readonly EventRecord[],
  campaignId: string,
): boolean {
  const received = facts.map((event) => instant(event.receivedAt));
  const start = startOf(world, campaignId);
  if (start !== undefined && received.some((at) => compare(at, start) < 0)) return true;
  return issuesTo(world, userId).some((issue) =>
    received.every((at) => compare(addDays(instant(issue.at), 1), at) < 0),
  );
}

/** Whether a purchase comes more than so many days of 24 hours after the user's first fact. */
function isOutsideWindow(
  world: World,
  event: Referral,
  { attributionWindowDays }: CampaignRevisionRecord,
): boolean {
  if (!isPurchase(event) || attributionWindowDays === undefined) return false;
  const first = bestReported(factsOf(world, event.newUser.id).filter(isReferral))!;
  return compare(occurred(event), addDays(occurred(first), attributionWindowDays)) > 0;
}

/** The owner was referred by the user, and that is where the two began. */
function isSecondOfLoop(world: World, userId: string, ownerId: string): boolean {
  const there = firstReferral(world, userId, ownerId);
  const back = firstReferral(world, ownerId, userId);
  if (back === undefined) return false;
  return there === undefined || bestReported([there, back]) === back;
}

function firstReferral(world: World, userId: string, ownerId: string): Referral | undefined {
  const referrals = factsOf(world, userId).filter(isReferral);
  return bestReported(referrals.filter((event) => ownerOf(world, event.ucc) === ownerId));
}

function failed(reason: Reason): Referred {
  return { passed: false, reason, waits: false };
}

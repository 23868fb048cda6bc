import type { DecisionRecord } from '@tributary/contracts/decision-record';
import type { ShownReward } from '@tributary/contracts/reward-state';
import { credits } from './explain/format.ts';

/** What attribution and rewards say would happen if an event came now. */
export type Trial = {
  campaignId: string;
  /** The decision on the event itself; its ids are the trial's, a real event gets others. */
  decision: DecisionRecord;
  /** Decisions on other events that would differ, with the present ones. */
  changedDecisions: readonly { before?: DecisionRecord; after: DecisionRecord }[];
  /** Rewards that would come or change, with what is entitled now. */
  rewards: readonly { before?: ShownReward; after: ShownReward }[];
  /** Recipients whose fold throws. */
  failed: number;
  /** Decisions whose campaign revision rewards has not read yet. */
  waiting: number;
  /** False when more would be decided again later than a dry run follows. */
  complete: boolean;
};

/** The same in sentences, the most important first. */
export function describeTrial(trial: Trial): string[] {
  const { decision, changedDecisions, rewards, failed, waiting, complete } = trial;
  return [
    describeDecision(decision),
    ...describeCampaign(trial),
    ...(decision.flags.length > 0 ? [`It would be flagged: ${decision.flags.join(', ')}.`] : []),
    ...rewards.map((reward) => describeReward(reward, decision.receivedAt)),
    ...(waiting > 0
      ? ['Rewards has not read the campaign revision yet; ask again in a moment for the rewards.']
      : []),
    ...(rewards.length === 0 && failed + waiting === 0 ? ['No reward would come or change.'] : []),
    ...(failed > 0
      ? [`The rewards of ${failed} recipient(s) cannot be computed; see the log of rewards.`]
      : []),
    ...changedDecisions.map(({ before, after }) => describeChange(before, after)),
    ...(complete ? [] : ['Still more events would be decided again, later and page by page.']),
  ];
}

function describeDecision(decision: DecisionRecord): string {
  const { eventType, outcome, reason, referrerId, campaignId, campaignRevision } = decision;
  const event = `If this ${eventType} came now, it would`;
  const because = decision.tests.find(({ passed }) => !passed)?.detail;
  const why = because === undefined ? '.' : `: ${withoutStop(because)}.`;
  switch (outcome) {
    case 'attributed': {
      const review = decision.review === undefined ? '' : ' What it earns would be in review.';
      return (
        `${event} be attributed to ${referrerId ?? 'nobody'} by campaign ${campaignId ?? '-'}, ` +
        `revision ${campaignRevision ?? '-'}.${review}`
      );
    }
    case 'waiting':
      return `${event} wait (${reason ?? 'no reason'})${why}`;
    case 'undecided':
      return `${event} stay undecided: the decision cannot be computed; see the log of attribution.`;
    case 'not-attributed':
      return `${event} not be attributed (${reason ?? 'no reason'})${why}`;
    default:
      return outcome satisfies never;
  }
}

/** Which campaign decides is up to the code on the event, not to whoever asks. */
function describeCampaign({ decision, campaignId }: Trial): string[] {
  if (decision.campaignId === undefined || decision.campaignId === campaignId) return [];
  return [
    `The code of this event belongs to campaign ${decision.campaignId}, not to ${campaignId}: ` +
      `the rules of ${decision.campaignId} hold.`,
  ];
}

function describeReward({ before, after }: Trial['rewards'][number], now: string): string {
  const { recipientId, recipientRole, ruleId, entitledCredits } = after;
  const who = `${recipientId}, as ${recipientRole === 'referrer' ? 'referrer' : 'new user'},`;
  const by = `by rule ${ruleId}`;
  const then = stateSentence(after, now);
  const was = before?.entitledCredits ?? '0';
  if (before === undefined) return `${who} would get ${credits(entitledCredits)} ${by}${then}.`;
  if (was === entitledCredits) return `${who} would still have ${credits(was)} ${by}${then}.`;
  return `${who} would have ${entitledCredits} instead of ${credits(was)} ${by}${then}.`;
}

function stateSentence({ state, maturesAt }: ShownReward, now: string): string {
  switch (state) {
    case 'held':
      return maturesAt === undefined || maturesAt <= now
        ? ', issued at once'
        : `, held until ${maturesAt}`;
    case 'review':
      return ', in review until an operator releases them';
    case 'withheld':
      return ', withheld by an operator';
    case 'issued':
      return ', issued';
    case 'reversed':
      return ', reversed';
    case 'capped':
      return ', as a limit leaves no room for it';
    default:
      return state satisfies never;
  }
}

function describeChange(before: DecisionRecord | undefined, after: DecisionRecord): string {
  const was = before === undefined ? 'decided later' : outcomeOf(before);
  const what = `Event ${after.eventId} of ${after.newUserId}`;
  const is = outcomeOf(after);
  return was === is
    ? `${what}, ${was}, would stay so with other details.`
    : `${what}, now ${was}, would become ${is}.`;
}

function outcomeOf({ outcome, reason, referrerId }: DecisionRecord): string {
  if (reason !== undefined) return `${outcome} (${reason})`;
  return outcome === 'attributed' ? `attributed to ${referrerId ?? 'nobody'}` : outcome;
}

function withoutStop(sentence: string): string {
  return sentence.replace(/\.$/, '');
}

import type { CodeRecord } from '@tributary/contracts/code-record';
import { storyLines } from './story-lines.ts';
import type { Account, Explanation, Subject } from './story.ts';
import { credits, indent, namesOf, plain, quoted } from './words.ts';

/**
 * The whole chain in plain sentences: fact, decision, rewards, ledger, deliveries. Of the records
 * and of nothing else, so the admin API and the command line say the same.
 */
export function explainText(explanation: Explanation): string {
  const { tenantId, subject, stories, truncated, people, account } = explanation;
  const nameOf = namesOf(people);
  const title = `${titleOf(subject)} of tenant ${quoted(tenantId)}`;
  if (subject.kind === 'event' && stories[0] !== undefined) {
    return [title, ...storyLines(stories[0], nameOf).slice(1)].join('\n');
  }
  const sections = [
    [title],
    ...(account === undefined ? [] : [accountLines(account)]),
    ...stories.map((story) => storyLines(story, nameOf)),
    ...(truncated
      ? [[`There are more events; these are the first ${stories.length}. The event list has all.`]]
      : []),
    ...(stories.length === 0 && account !== undefined ? [['No event is about this user.']] : []),
  ];
  return sections.map((lines) => lines.join('\n')).join('\n\n');
}

function titleOf({ kind, id }: Subject): string {
  const name = kind === 'event' || kind === 'reward' ? plain(id) : quoted(id);
  return `${kind.charAt(0).toUpperCase()}${kind.slice(1)} ${name}`;
}

const shownRewards = 20;

function accountLines({ codes, balance, rewards }: Account): string[] {
  const { entitled, issued, owed, held, review, withheld, reversed } = balance;
  return [
    ...(codes.length === 0 ? ['Owns no referral code.'] : codes.map(codeLine)),
    ...(rewards.length === 0
      ? ['Has earned nothing.']
      : [
          `Balance: entitled ${entitled}, issued ${issued}, owed ${owed} ` +
            `(held ${held}, in review ${review}, withheld ${withheld}; reversed ${reversed}).`,
          'Newest rewards',
          ...indent(
            rewards
              .slice(0, shownRewards)
              .map(
                ({ rewardId, state, entitledCredits, ruleId, eventId }) =>
                  `${plain(rewardId)}: ${credits(entitledCredits)}, ${state}, by rule ${quoted(ruleId)} for event ${eventId}`,
              ),
          ),
        ]),
  ];
}

function codeLine({ type, ucc, campaignId, at }: CodeRecord): string {
  const what = type === 'code-issued' ? 'issued' : 'disabled';
  return `Referral code ${quoted(ucc)} of campaign ${quoted(campaignId)} was ${what} at ${at}.`;
}

import type { Balance } from '@tributary/contracts/admin/event-answers';
import type { CodeRecord } from '@tributary/contracts/code-record';
import { isNegative, isPositive } from '../exact-decimal.ts';
import { type OpenPart, settledBalance } from '../open-credits.ts';
import { storyLines } from './story-lines.ts';
import { issuanceLines } from './reward-lines.ts';
import type { Account, Explanation, IssuedWithoutReward, Subject } from './story.ts';
import { credits, indent, type NameOf, namesOf, plain, quoted } from './format.ts';

/**
 * The whole chain in plain sentences: fact, decision, rewards, ledger, deliveries. Of the records
 * and of nothing else, so the admin API and the command line say the same.
 */
export function explainText(explanation: Explanation): string {
  const { tenantId, subject, stories, truncated, people, account } = explanation;
  const { issuedWithoutReward: without } = explanation;
  const nameOf = namesOf(people);
  const title = `${titleOf(subject)} of tenant ${quoted(tenantId)}`;
  if (subject.kind === 'event' && stories[0] !== undefined) {
    return [title, ...storyLines(stories[0], nameOf).slice(1)].join('\n');
  }
  const sections = [
    [title],
    ...(account === undefined ? [] : [accountLines(account)]),
    ...(without === undefined ? [] : [withoutRewardLines(without, nameOf)]),
    ...stories.map((story) => storyLines(story, nameOf)),
    ...(truncated
      ? [
          [
            `There are more events; these are the first ${stories.length}. The event list has all of them.`,
          ],
        ]
      : []),
    ...(stories.length === 0 && account !== undefined
      ? [['There are no events about this user.']]
      : []),
  ];
  return sections.map((lines) => lines.join('\n')).join('\n\n');
}

function titleOf({ kind, id }: Subject): string {
  const name = kind === 'event' || kind === 'reward' ? plain(id) : quoted(id);
  return `${kind.charAt(0).toUpperCase()}${kind.slice(1)} ${name}`;
}

const shownRewards = 20;

function accountLines({ codes, balance, rewards }: Account): string[] {
  return [
    ...(codes.length === 0 ? ['Has no referral code.'] : codes.map(codeLine)),
    ...(rewards.length === 0
      ? ['Has earned nothing.', ...(balance.issued === '0' ? [] : balanceLines(balance))]
      : [
          ...balanceLines(balance),
          'Newest rewards',
          ...indent(
            rewards
              .slice(0, shownRewards)
              .map(
                ({ rewardId, state, open, entitledCredits, ruleId, eventId }) =>
                  `${plain(rewardId)}: ${credits(entitledCredits)}, ${state}${openText(state, open)}, ` +
                  `by rule ${quoted(ruleId)} for event ${eventId}`,
              ),
          ),
        ]),
  ];
}

function withoutRewardLines(
  { credits: all, count, issuances }: IssuedWithoutReward,
  nameOf: NameOf,
): string[] {
  const recipient = nameOf(issuances[0]?.issuance.recipientId ?? '');
  const rewards =
    count === 1 ? 'a reward that no longer exists: its' : 'rewards that no longer exist: their';
  return [
    `Issued ${credits(all)} to ${recipient} for ${rewards} event was lost, is decided otherwise now, ` +
      'or earns nothing by the present rules. What was issued stays issued and is deducted from other rewards.',
    ...indent(
      issuances.flatMap((story) => [
        `For reward ${plain(story.issuance.rewardId)}`,
        ...indent(issuanceLines(story)),
      ]),
    ),
    ...(count > issuances.length ? [`These are the newest ${issuances.length} of ${count}.`] : []),
  ];
}

function balanceLines(balance: Balance): string[] {
  const { entitled, issued, owed, held, review, withheld, reversed } = balance;
  const settled = settledBalance(balance);
  return [
    `Balance: entitled ${entitled}, issued ${issued}, owed ${owed} ` +
      `(held ${held}, in review ${review}, withheld ${withheld}; reversed ${reversed}).`,
    ...(isNegative(settled)
      ? [
          `Owes ${credits(settled.slice(1))}, which will be deducted from rewards as they become payable.`,
        ]
      : []),
    ...(isPositive(settled) ? [`Will be issued ${credits(settled)} next, as a correction.`] : []),
  ];
}

/** What the state of a reward does not say already. */
function openText(state: string, open: readonly OpenPart[]): string {
  const parts = open.filter(({ as }) => as !== state);
  if (parts.length === 0) return '';
  return ` (${parts.map(({ as, credits: amount }) => `${amount} ${asText[as]}`).join(', ')})`;
}

const asText = {
  held: 'held',
  review: 'in review',
  withheld: 'withheld',
  offset: 'offset',
  correction: 'due as a correction',
  excess: 'issued beyond the entitlement',
} as const;

function codeLine({ type, version, ucc, campaignId, at }: CodeRecord): string {
  const enabled = version === 1 ? 'issued' : 'enabled again';
  const what = type === 'code-issued' ? enabled : 'disabled';
  return `Referral code ${quoted(ucc)} of campaign ${quoted(campaignId)} was ${what} at ${at}.`;
}

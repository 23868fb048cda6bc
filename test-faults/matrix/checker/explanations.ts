import { readLedgerSentence } from '../../views/ledger-sentence.ts';
import { expectedDecisions } from '../../oracle/decisions.ts';
import { asDecimal, compare, minus, plus, type Rational, zero } from '../../oracle/rational.ts';
import type { Evidence, SentRequest } from '../evidence.ts';
import { liveOf } from './live.ts';
import { areEqual, creditsOf, issuedOn, sumOf } from './money.ts';
import { type DecisionRecord, textOfDecision, textOfExpected, worldOf } from './state.ts';
import { createVerdict, type Verdict } from './verdict.ts';

// What operators are told of it (docs/admin-api.md, "Looking", "Explanations" and "Balances").

type Part = {
  as: 'held' | 'review' | 'withheld' | 'offset' | 'correction' | 'excess';
  credits: string;
};

type ShownReward = {
  rewardId: string;
  recipientId: string;
  state: string;
  entitledCredits: string;
  issuedCredits: string;
  calculation: { step: string; credits: string }[];
};

type Balance = Record<'entitled' | 'issued' | 'owed' | 'held' | 'review' | 'withheld', string>;

type RewardStory = {
  reward: ShownReward;
  open: Part[];
  recipientOwes: string;
  issuances: {
    issuance: { issuanceId: string; credits: string };
    deliveries: { outcome?: string }[];
  }[];
};

type Explained = {
  subject: { kind: 'user' | 'reward' | 'event'; id: string };
  stories: {
    eventId: string;
    fact?: { eventId: string };
    decision?: DecisionRecord;
    rewards: RewardStory[];
  }[];
  account?: { balance: Balance };
  issuedWithoutReward?: { credits: string; issuances: RewardStory['issuances'] };
  text: string;
};

type Listed = ShownReward & { open: Part[] };

/**
 * Whatever an operator asks about credits, the answer is that of the ledger and of the log: the
 * list has every reward, with what is open of it; the balance of a recipient is the sum over its
 * rewards; a reward is explained with the same numbers, in records and in words, and what its
 * calculation comes to; an event with the decision that the oracle gives.
 */
export function numbersAreExplained(evidence: Evidence): Verdict {
  const { verdict, judge, breaks } = createVerdict();
  const { explanations } = evidence;
  if (explanations === undefined) return verdict;
  const answered = explanations.filter(({ path, outcome, status, failure }) => {
    if (outcome !== 'ok') breaks(`${path} was answered ${status ?? failure}`);
    return outcome === 'ok';
  });
  const listed = listedIn(answered);
  for (const problem of wrongInList(evidence, listed)) breaks(problem);
  const byRecipient = Map.groupBy(listed.values(), ({ recipientId }) => recipientId);
  const partsOf = (recipientId: string) =>
    (byRecipient.get(recipientId) ?? []).flatMap(({ open }) => open);
  const issued = Map.groupBy(issuedOn(evidence), ({ rewardId }) => rewardId);
  const orphans = Map.groupBy(
    issuedOn(evidence).filter(({ rewardId }) => !listed.has(rewardId)),
    ({ recipientId }) => recipientId,
  );
  const orphaned = (recipientId: string) =>
    sumOf((orphans.get(recipientId) ?? []).map(({ credits }) => creditsOf(credits)));
  const decisions = expectedDecisions(worldOf(evidence));
  const asked = answered.filter(isExplanation);
  if (asked.length === 0) breaks('nothing was explained');
  for (const { answer = '{}' } of asked) {
    const { subject, stories, account, text, issuedWithoutReward } = JSON.parse(
      answer,
    ) as Explained;
    const what = `${subject.kind} ${subject.id}`;
    if (subject.kind === 'user') {
      judge(
        account === undefined
          ? `${what} is explained without an account`
          : (wrongBalance(what, account.balance, text, {
              rewards: byRecipient.get(subject.id) ?? [],
              orphaned: orphaned(subject.id),
            }) ?? wrongOrphans(what, issuedWithoutReward, orphans.get(subject.id) ?? [], text)),
      );
    }
    if (subject.kind === 'reward') {
      const story = stories
        .flatMap(({ rewards }) => rewards)
        .find(({ reward }) => reward.rewardId === subject.id);
      const own = text.slice(text.indexOf(`Reward ${subject.id}: `));
      const isGone = !listed.has(subject.id) && issued.has(subject.id);
      judge(
        story === undefined
          ? isGone
            ? wrongOrphans(what, issuedWithoutReward, issued.get(subject.id) ?? [], text)
            : `${what} is explained without it`
          : (wrongReward(what, story, listed.get(subject.id), own) ??
              wrongOwing(what, story, own, {
                parts: partsOf(story.reward.recipientId),
                orphaned: orphaned(story.reward.recipientId),
              }) ??
              wrongIssuances(what, story, issued.get(subject.id) ?? [])),
      );
    }
    if (subject.kind === 'event') {
      const story = stories.find(({ eventId }) => eventId === subject.id);
      const expected = decisions.get(subject.id);
      const right = expected === undefined ? 'nothing' : textOfExpected(expected);
      const told = story?.decision === undefined ? 'nothing' : textOfDecision(story.decision);
      if (story?.fact === undefined) judge(`${what} is explained without its fact`);
      else judge(told === right ? undefined : `${what} is explained as ${told}, and is ${right}`);
    }
  }
  return verdict;
}

function isExplanation({ path }: SentRequest): boolean {
  return path.includes('/explain?');
}

function listedIn(answered: readonly SentRequest[]): Map<string, Listed> {
  const rewards = answered
    .filter((request) => !isExplanation(request))
    .flatMap(({ answer = '{}' }) => (JSON.parse(answer) as { rewards: Listed[] }).rewards);
  return new Map(rewards.map((reward) => [reward.rewardId, reward]));
}

/** The list against the table of the live generation. */
function wrongInList(evidence: Evidence, listed: ReadonlyMap<string, Listed>): string[] {
  const rows = liveOf(evidence).rows('rewards', 'entitlement');
  const known = new Set(rows.map((row) => row['reward_id']));
  // What was issued and has no reward any more has a row, and nothing that could be listed.
  const rewards = rows.filter((row) => row['business_key'] !== null);
  return [
    ...rewards.flatMap((row) => {
      const id = row['reward_id'] ?? '';
      const shown = listed.get(id);
      if (shown === undefined) return [`reward ${id} is not listed`];
      const isSame =
        areEqual(creditsOf(shown.entitledCredits), creditsOf(row['entitled'])) &&
        areEqual(creditsOf(shown.issuedCredits), creditsOf(row['issued']));
      const { entitledCredits, issuedCredits } = shown;
      const said = `reward ${id} is listed with ${entitledCredits}, ${issuedCredits} issued`;
      const stands = `${said}, and the table has ${row['entitled']}, ${row['issued']} issued`;
      return isSame ? [] : [stands];
    }),
    ...[...listed.keys()]
      .filter((id) => !known.has(id))
      .map((id) => `reward ${id} is listed, and is in no table`),
  ];
}

function sumAs(parts: readonly Part[], ...kinds: Part['as'][]): Rational {
  return sumOf(parts.filter(({ as }) => kinds.includes(as)).map((part) => creditsOf(part.credits)));
}

/** What is open: what is entitled and was not issued, less what was issued beyond that. */
function openOf(parts: readonly Part[]): Rational {
  const toCome = sumAs(parts, 'held', 'review', 'withheld', 'offset', 'correction');
  return minus(toCome, sumAs(parts, 'excess'));
}

function wrongBalance(
  what: string,
  balance: Balance,
  text: string,
  { rewards, orphaned }: { rewards: readonly Listed[]; orphaned: Rational },
): string | undefined {
  const parts = rewards.flatMap(({ open }) => open);
  const entitled = sumOf(rewards.map((reward) => creditsOf(reward.entitledCredits)));
  const issued = sumOf([...rewards.map((one) => creditsOf(one.issuedCredits)), orphaned]);
  const right = {
    ...{ entitled, issued, owed: minus(entitled, issued) },
    held: sumAs(parts, 'held'),
    review: sumAs(parts, 'review'),
    withheld: sumAs(parts, 'withheld'),
  };
  for (const [name, credits] of Object.entries(right)) {
    const told = balance[name as keyof Balance];
    if (!areEqual(creditsOf(told), credits)) {
      return `${what} has ${told} ${name}, and its rewards come to ${asDecimal(credits)}`;
    }
  }
  const open = minus(openOf(parts), orphaned);
  if (!areEqual(open, right.owed)) {
    return `${what} has ${asDecimal(right.owed)} owed, and ${asDecimal(open)} open`;
  }
  if (rewards.length === 0) return undefined;
  const { entitled: e, issued: i, owed: o } = balance;
  const sentence = `Balance: entitled ${e}, issued ${i}, owed ${o} `;
  return text.includes(sentence) ? undefined : `${what} is not told: ${sentence}`;
}

function wrongReward(
  what: string,
  { reward, open }: RewardStory,
  listed: Listed | undefined,
  text: string,
): string | undefined {
  const { entitledCredits: entitled, issuedCredits: issued, calculation, state } = reward;
  const shown = JSON.stringify([state, entitled, issued, open]);
  const inList = JSON.stringify([
    ...[listed?.state, listed?.entitledCredits, listed?.issuedCredits, listed?.open],
  ]);
  if (shown !== inList) return `${what} is explained as ${shown}, and listed as ${inList}`;
  const left = minus(creditsOf(entitled), creditsOf(issued));
  if (!areEqual(openOf(open), left)) {
    return `${what} has ${asDecimal(left)} to come, and ${JSON.stringify(open)} open`;
  }
  const result = calculation.at(-1)?.credits;
  if (result !== entitled) return `${what} has ${entitled}, and is calculated as ${result}`;
  const isTaken = calculation.some(({ step }) => step === 'refund' || step === 'withdrawal');
  if (state === 'reversed' && !isTaken)
    return `${what} is shown as ${state}, and nothing took it back`;
  const told = readLedgerSentence(text);
  const said = JSON.stringify([told.entitled, told.issued, told.open]);
  if (said !== JSON.stringify([entitled, issued, open])) {
    return `${what} has ${entitled}, ${issued} issued, ${JSON.stringify(open)}, and is told as ${said}`;
  }
  return undefined;
}

/** What the recipient owes is told where it decides what becomes of something. */
function wrongOwing(
  what: string,
  { open, recipientOwes }: RewardStory,
  text: string,
  { parts, orphaned }: { parts: readonly Part[]; orphaned: Rational },
): string | undefined {
  const settled = sumAs(parts, 'offset', 'correction');
  const balance = minus(plus(sumAs(parts, 'excess'), orphaned), settled);
  const owes = compare(balance, zero) > 0 ? balance : zero;
  if (open.length === 0) return undefined;
  if (!areEqual(creditsOf(recipientOwes), owes)) {
    return `${what} has a recipient who owes ${recipientOwes}, and it should be ${asDecimal(owes)}`;
  }
  const isToBeTold = open.some(({ as }) => as !== 'offset' && as !== 'correction');
  const told = readLedgerSentence(text).owes;
  if (!isToBeTold || areEqual(creditsOf(told), owes)) return undefined;
  return `${what} is told with a recipient who owes ${told}, and it should be ${asDecimal(owes)}`;
}

function wrongIssuances(
  what: string,
  { issuances }: Pick<RewardStory, 'issuances'>,
  onLog: readonly { issuanceId: string; credits: string }[],
): string | undefined {
  const nameOf = ({ issuanceId, credits }: { issuanceId: string; credits: string }) =>
    `${issuanceId} ${credits}`;
  const told = issuances.map(({ issuance }) => nameOf(issuance)).sort();
  const right = onLog.map(nameOf).sort();
  if (JSON.stringify(told) !== JSON.stringify(right)) {
    return `${what} is told with the issuances ${told.join(', ')}, and has ${right.join(', ')}`;
  }
  const open = issuances.find(
    ({ deliveries }) => !deliveries.some(({ outcome }) => outcome === 'delivered'),
  );
  if (open === undefined) return undefined;
  return `${what} is told without the delivery of issuance ${open.issuance.issuanceId}`;
}

/** What was issued for rewards that are there no more, because their event was lost. */
function wrongOrphans(
  what: string,
  told: Explained['issuedWithoutReward'],
  onLog: readonly { issuanceId: string; credits: string }[],
  text: string,
): string | undefined {
  if (told === undefined && onLog.length === 0) return undefined;
  const credits = asDecimal(sumOf(onLog.map((one) => creditsOf(one.credits))));
  const said = told?.credits ?? 'nothing';
  if (said !== credits)
    return `${what} has ${credits} issued without a reward, and told is ${said}`;
  if (!/^Issued \S+ credits? for rewards that no longer exist/m.test(text)) {
    return `${what} has ${credits} issued without a reward, and no words for it`;
  }
  return wrongIssuances(what, told ?? { issuances: [] }, onLog);
}

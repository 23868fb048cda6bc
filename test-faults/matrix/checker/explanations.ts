import { expectedDecisions, type ExpectedDecision } from '../../oracle/decisions.ts';
import { asDecimal, compare, minus, plus, type Rational, zero } from '../../oracle/rational.ts';
import { readLedgerSentence, type Shown } from '../../views/ledger-sentence.ts';
import type { Evidence, SentRequest } from '../evidence.ts';
import { liveOf } from './live.ts';
import { areEqual, creditsOf, issuedOn, type IssuedRecord, sumOf } from './money.ts';
import { type DecisionRecord, textOfDecision, textOfExpected, worldOf } from './state.ts';
import { createVerdict, type Verdict } from './verdict.ts';

// What operators are answered (docs/admin-api.md, "Looking", "Explanations" and "Balances").

type Part = {
  as: 'held' | 'review' | 'withheld' | 'offset' | 'correction' | 'excess';
  credits: string;
};

type ShownReward = {
  rewardId: string;
  recipientId: string;
  eventId: string;
  state: string;
  entitledCredits: string;
  issuedCredits: string;
  calculation: { step: string; credits: string }[];
};

type Listed = ShownReward & { open: Part[] };

const balanceMembers = [
  ...(['entitled', 'issued', 'owed', 'held', 'review', 'withheld', 'reversed'] as const),
];
type Balance = Record<(typeof balanceMembers)[number], string>;

type Issuances = {
  issuance: Pick<IssuedRecord, 'issuanceId' | 'credits'>;
  deliveries: { outcome?: string }[];
}[];

type RewardStory = {
  reward: ShownReward;
  open: Part[];
  recipientOwes: string;
  issuances: Issuances;
};

type Explained = {
  subject: { kind: 'user' | 'reward' | 'event'; id: string };
  stories: {
    eventId: string;
    fact?: { eventId: string };
    decision?: DecisionRecord;
    rewards: RewardStory[];
  }[];
  account?: { balance: Balance; rewards: Listed[] };
  issuedWithoutReward?: { credits: string; count: number; issuances: Issuances };
  text: string;
};

/** What it should be, by the list of rewards, the log and the oracle. */
type Facts = {
  listed: ReadonlyMap<string, Listed>;
  rewardsOf: (recipientId: string) => readonly Listed[];
  issued: ReadonlyMap<string, readonly IssuedRecord[]>;
  /** What was issued to a recipient for rewards that no longer exist. */
  gone: (recipientId: string) => readonly IssuedRecord[];
  decisions: ReadonlyMap<string, ExpectedDecision>;
};

/**
 * Whatever an operator asks about credits, the answer is that of the ledger and of the log: the
 * list has every reward, with what is open of it; the balance of a recipient is the sum over its
 * rewards, and of what was issued for rewards that no longer exist; a reward is explained with the
 * same numbers, in records and in words, and what its calculation comes to; an event with the
 * decision that the oracle gives.
 */
export function numbersAreExplained(evidence: Evidence): Verdict {
  const { verdict, judge, breaks } = createVerdict();
  if (evidence.explanations === undefined) return verdict;
  const asked = lastAnswers(evidence.explanations);
  for (const { path, outcome, status, failure } of asked) {
    if (outcome !== 'ok') breaks(`${path} was answered ${status ?? failure}`);
  }
  const answered = asked.filter(({ outcome }) => outcome === 'ok');
  const rewards = answered
    .filter((request) => !isExplanation(request))
    .flatMap(({ answer = '{}' }) => (JSON.parse(answer) as { rewards: Listed[] }).rewards);
  for (const problem of wrongInList(evidence, rewards)) breaks(problem);
  const facts = factsOf(evidence, rewards);
  const explained = answered
    .filter(isExplanation)
    .map(({ answer = '{}' }) => JSON.parse(answer) as Explained);
  for (const kind of ['user', 'reward', 'event']) {
    if (!explained.some(({ subject }) => subject.kind === kind)) breaks(`no ${kind} was explained`);
  }
  for (const one of explained) judge(problemWith(one, facts));
  return verdict;
}

function isExplanation({ path }: SentRequest): boolean {
  return path.includes('/explain?');
}

/** Who got no answer has asked again. */
function lastAnswers(explanations: readonly SentRequest[]): SentRequest[] {
  return [...new Map(explanations.map((request) => [request.path, request])).values()];
}

function factsOf(evidence: Evidence, rewards: readonly Listed[]): Facts {
  const listed = new Map(rewards.map((reward) => [reward.rewardId, reward]));
  const byRecipient = Map.groupBy(rewards, ({ recipientId }) => recipientId);
  const issuances = issuedOn(evidence);
  const gone = Map.groupBy(
    issuances.filter(({ rewardId }) => !listed.has(rewardId)),
    ({ recipientId }) => recipientId,
  );
  return {
    listed,
    rewardsOf: (recipientId) => byRecipient.get(recipientId) ?? [],
    issued: Map.groupBy(issuances, ({ rewardId }) => rewardId),
    gone: (recipientId) => gone.get(recipientId) ?? [],
    decisions: expectedDecisions(worldOf(evidence)),
  };
}

/** The list against the table of the live generation. */
function wrongInList(evidence: Evidence, listed: readonly Listed[]): string[] {
  const rows = liveOf(evidence).rows('rewards', 'entitlement');
  const known = new Set(rows.map((row) => row['reward_id']));
  const byId = Map.groupBy(listed, ({ rewardId }) => rewardId);
  // What was issued and has no reward any more has a row, and nothing that could be listed.
  const rewards = rows.filter((row) => row['business_key'] !== null);
  return [
    ...rewards.flatMap((row) => {
      const id = row['reward_id'] ?? '';
      const [shown, ...more] = byId.get(id) ?? [];
      if (shown === undefined) return [`reward ${id} is not listed`];
      if (more.length > 0) return [`reward ${id} is listed ${1 + more.length} times`];
      const { entitledCredits: entitled, issuedCredits: issued } = shown;
      const isSame =
        areEqual(creditsOf(entitled), creditsOf(row['entitled'])) &&
        areEqual(creditsOf(issued), creditsOf(row['issued']));
      const stands = `the table has ${row['entitled']}, ${row['issued']} issued`;
      return isSame ? [] : [`reward ${id} is listed with ${entitled}, ${issued} issued; ${stands}`];
    }),
    ...[...byId.keys()]
      .filter((id) => !known.has(id))
      .map((id) => `reward ${id} is listed, and is in no table`),
  ];
}

/** What is wrong with one explanation; a form that is not understood is wrong, too. */
function problemWith(explained: Explained, facts: Facts): string | undefined {
  const { kind, id } = explained.subject;
  const what = `${kind} ${id}`;
  try {
    const problem = wrongRewards(explained, facts) ?? judges[kind](explained, facts);
    return problem && `${what}: ${problem}`;
  } catch (error) {
    return `${what} is explained in a form that is not understood: ${String(error)}`;
  }
}

type Judge = (explained: Explained, facts: Facts) => string | undefined;

const judges: Record<Explained['subject']['kind'], Judge> = {
  user({ subject, account, issuedWithoutReward, text }, facts) {
    if (account === undefined) return 'there is no account';
    const rewards = facts.rewardsOf(subject.id);
    const gone = facts.gone(subject.id);
    return (
      wrongBalance(account.balance, text, { rewards, gone: sumOfIssued(gone) }) ??
      wrongAccount(account.rewards, rewards) ??
      wrongGone(issuedWithoutReward, gone, text)
    );
  },
  reward({ subject, stories, issuedWithoutReward, text }, facts) {
    const rewards = stories.flatMap((story) => story.rewards);
    if (rewards.some(({ reward }) => reward.rewardId === subject.id)) return undefined;
    const issued = facts.issued.get(subject.id);
    if (facts.listed.has(subject.id) || issued === undefined) return 'it is not there';
    return wrongGone(issuedWithoutReward, issued, text);
  },
  event({ subject, stories }, facts) {
    const story = stories.find(({ eventId }) => eventId === subject.id);
    if (story?.fact === undefined) return 'there is no fact';
    const expected = facts.decisions.get(subject.id);
    const right = expected === undefined ? 'nothing' : textOfExpected(expected);
    const shown = story.decision === undefined ? 'nothing' : textOfDecision(story.decision);
    if (shown !== right) return `decided as ${shown}, and should be ${right}`;
    const own = new Set(story.rewards.map(({ reward }) => reward.rewardId));
    const missing = [...facts.listed.values()].find(
      ({ eventId, rewardId }) => eventId === subject.id && !own.has(rewardId),
    );
    return missing && `reward ${missing.rewardId} is not there`;
  },
};

/** Every reward of an explanation, whatever was asked about. */
function wrongRewards({ stories, text }: Explained, facts: Facts): string | undefined {
  const shown = stories.flatMap(({ eventId, rewards }) =>
    rewards.map((story) => ({ story, isCause: story.reward.eventId === eventId })),
  );
  for (const { story, isCause } of shown) {
    const { rewardId, recipientId } = story.reward;
    // With a refund stands only what it took.
    const own = isCause ? readLedgerSentence(textOf(text, rewardId)) : undefined;
    const problem =
      wrongReward(story, facts.listed.get(rewardId), own) ??
      wrongOwing(story, own, {
        parts: facts.rewardsOf(recipientId).flatMap(({ open }) => open),
        gone: sumOfIssued(facts.gone(recipientId)),
      }) ??
      wrongIssuances(story.issuances, facts.issued.get(rewardId) ?? []);
    if (problem !== undefined) return `reward ${rewardId} ${problem}`;
  }
  return undefined;
}

/** Its own lines alone. */
function textOf(text: string, rewardId: string): string {
  const [, own] = text.split(`Reward ${rewardId}: `);
  if (own === undefined) throw new Error(`there are no words for reward ${rewardId}`);
  return own.split(/^ *Reward /m)[0]!;
}

function sumOfIssued(issuances: readonly IssuedRecord[]): Rational {
  return sumOf(issuances.map(({ credits }) => creditsOf(credits)));
}

function sumAs(parts: readonly Part[], ...kinds: Part['as'][]): Rational {
  return sumOf(parts.filter(({ as }) => kinds.includes(as)).map((part) => creditsOf(part.credits)));
}

/** What is open: what is entitled and was not issued, less what was issued beyond that. */
function openOf(parts: readonly Part[]): Rational {
  const toCome = sumAs(parts, 'held', 'review', 'withheld', 'offset', 'correction');
  return minus(toCome, sumAs(parts, 'excess'));
}

const takingSteps = ['refund', 'withdrawal'];

/** What refunds and a withdrawal took, by the steps of its calculation. */
function takenFrom({ calculation, entitledCredits }: ShownReward): Rational {
  const taken = calculation.findIndex(({ step }) => takingSteps.includes(step));
  if (taken === -1) return zero;
  return minus(creditsOf(calculation[taken - 1]?.credits ?? '0'), creditsOf(entitledCredits));
}

function wrongBalance(
  balance: Balance,
  text: string,
  { rewards, gone }: { rewards: readonly Listed[]; gone: Rational },
): string | undefined {
  const parts = rewards.flatMap(({ open }) => open);
  const entitled = sumOf(rewards.map((reward) => creditsOf(reward.entitledCredits)));
  const issued = sumOf([...rewards.map((one) => creditsOf(one.issuedCredits)), gone]);
  const right: Record<keyof Balance, Rational> = {
    ...{ entitled, issued, owed: minus(entitled, issued) },
    held: sumAs(parts, 'held'),
    review: sumAs(parts, 'review'),
    withheld: sumAs(parts, 'withheld'),
    reversed: sumOf(rewards.map(takenFrom)),
  };
  for (const name of balanceMembers) {
    if (!areEqual(creditsOf(balance[name]), right[name])) {
      return `${balance[name]} ${name}, and its rewards come to ${asDecimal(right[name])}`;
    }
  }
  const open = minus(openOf(parts), gone);
  if (!areEqual(open, right.owed)) {
    return `${balance.owed} owed, and ${asDecimal(open)} are open`;
  }
  if (rewards.length === 0 && compare(gone, zero) === 0) return undefined;
  const { entitled: e, issued: i, owed: o } = balance;
  const sentence = `Balance: entitled ${e}, issued ${i}, owed ${o} `;
  return text.includes(sentence) ? undefined : `no sentence says ${sentence}`;
}

/** As many of its newest rewards as are shown. */
const accountRewards = 20;

function wrongAccount(shown: readonly Listed[], rewards: readonly Listed[]): string | undefined {
  const count = Math.min(accountRewards, rewards.length);
  if (shown.length !== count) return `${shown.length} rewards are shown, and should be ${count}`;
  const known = new Map(rewards.map((reward) => [reward.rewardId, numbersOf(reward)]));
  const wrong = shown.find((reward) => known.get(reward.rewardId) !== numbersOf(reward));
  return wrong && `reward ${wrong.rewardId} is shown as ${numbersOf(wrong)}`;
}

function numbersOf({ state, entitledCredits, issuedCredits, open }: Listed): string {
  return JSON.stringify([state, entitledCredits, issuedCredits, open]);
}

function wrongReward(
  { reward, open }: RewardStory,
  listed: Listed | undefined,
  inWords: Shown | undefined,
): string | undefined {
  const { entitledCredits: entitled, issuedCredits: issued, calculation, state } = reward;
  const shown = numbersOf({ ...reward, open });
  const inList = listed && numbersOf(listed);
  if (shown !== inList) return `is explained as ${shown}, and listed as ${inList}`;
  const left = minus(creditsOf(entitled), creditsOf(issued));
  if (!areEqual(openOf(open), left)) {
    return `has ${asDecimal(left)} to come, and ${JSON.stringify(open)} open`;
  }
  const result = calculation.at(-1)?.credits;
  if (result !== entitled) return `has ${entitled}, and is calculated as ${result}`;
  const isTaken = calculation.some(({ step }) => takingSteps.includes(step));
  if (state === 'reversed' && !isTaken) return 'is shown as reversed, and nothing took it back';
  if (inWords === undefined) return undefined;
  const says = JSON.stringify([inWords.entitled, inWords.issued, inWords.open]);
  const right = JSON.stringify([entitled, issued, open]);
  return says === right ? undefined : `has ${right}, and its sentence says ${says}`;
}

/** What the recipient owes is shown where it decides what becomes of something. */
function wrongOwing(
  { open, recipientOwes }: RewardStory,
  inWords: Shown | undefined,
  { parts, gone }: { parts: readonly Part[]; gone: Rational },
): string | undefined {
  if (open.length === 0) return undefined;
  const settled = sumAs(parts, 'offset', 'correction');
  const balance = minus(plus(sumAs(parts, 'excess'), gone), settled);
  const owes = compare(balance, zero) > 0 ? balance : zero;
  if (!areEqual(creditsOf(recipientOwes), owes)) {
    return `has a recipient who owes ${recipientOwes}, and it should be ${asDecimal(owes)}`;
  }
  const isInWords = open.some(({ as }) => as !== 'offset' && as !== 'correction');
  if (inWords === undefined || !isInWords) return undefined;
  if (areEqual(creditsOf(inWords.owes), owes)) return undefined;
  return `has a recipient who owes ${asDecimal(owes)}, and its sentence says ${inWords.owes}`;
}

function wrongIssuances(
  shown: Issuances,
  onLog: readonly Pick<IssuedRecord, 'issuanceId' | 'credits'>[],
): string | undefined {
  const nameOf = ({ issuanceId, credits }: Issuances[number]['issuance']) =>
    `${issuanceId} ${credits}`;
  const names = shown.map(({ issuance }) => nameOf(issuance)).sort();
  const right = onLog.map(nameOf).sort();
  if (JSON.stringify(names) !== JSON.stringify(right)) {
    return `is shown with the issuances ${names.join(', ')}, and has ${right.join(', ')}`;
  }
  const open = shown.find(
    ({ deliveries }) => !deliveries.some(({ outcome }) => outcome === 'delivered'),
  );
  if (open === undefined) return undefined;
  return `is shown without the delivery of issuance ${open.issuance.issuanceId}`;
}

/** What was issued for rewards that no longer exist; a row has no more than are shown. */
function wrongGone(
  shown: Explained['issuedWithoutReward'],
  onLog: readonly IssuedRecord[],
  text: string,
): string | undefined {
  if (shown === undefined && onLog.length === 0) return undefined;
  const [credits, count] = [asDecimal(sumOfIssued(onLog)), onLog.length];
  if (shown?.credits !== credits || shown.count !== count) {
    const says = `${shown?.credits} by ${shown?.count} issuances`;
    return `${credits} were issued without a reward by ${count} issuances, and shown are ${says}`;
  }
  const sentence = new RegExp(`^Issued ${credits} credits? to .* no longer exists?: `, 'm');
  if (!sentence.test(text)) return `no sentence says that ${credits} were issued without a reward`;
  return wrongIssuances(shown.issuances, onLog);
}

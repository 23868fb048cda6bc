import { topics as topicTable } from '@tributary/contracts/topics';
import { asDecimal, compare, minus, plus, zero } from '../../oracle/rational.ts';
import type { Evidence, TableRow } from '../evidence.ts';
import { everPublished, generationOf, generationsOf } from './live.ts';
import { creditsOf, currentOf, issuedOn, objectsOf, type RewardRecord, sumOf } from './money.ts';

// What is not paid although somebody is entitled to it: what an operator withholds, and what is
// netted against credits that are owed (docs/admin-api.md, "Operator actions on rewards" and
// "Balances").

/** What an operator said of a reward; of several the one with the highest sequence holds. */
type Action = {
  type: 'released' | 'withheld';
  rewardId: string;
  tenantId: string;
  sequence: number;
  at: string;
};

/**
 * What operators were told that it is done, and is not on the log; and rewards of which something
 * was issued though an operator's last action withholds them. A reward of which something was
 * issued cannot be withheld (409), so when it was issued makes no difference.
 */
export function againstOperators(evidence: Evidence): string[] {
  const actions = objectsOf<Action>(evidence.topics[topicTable.issuances.name]).filter(
    ({ type }) => type === 'released' || type === 'withheld',
  );
  const onLog = new Set(actions.map(({ rewardId, type, at }) => nameOf(rewardId, type, at)));
  const lost = evidence.requests.flatMap(({ by, method, path, outcome, answer = '{}' }) => {
    const isAction = /\/rewards\/[^/]+\/(release|withhold)$/.test(path);
    if (by !== 'operator' || method !== 'POST' || !isAction || outcome !== 'ok') return [];
    const { rewardId, action, at } = JSON.parse(answer) as Record<string, string>;
    if (onLog.has(nameOf(rewardId, action, at))) return [];
    return [`an operator was told that reward ${rewardId} is ${action}, which is not on the log`];
  });
  const versioned = actions.map((action) => ({ ...action, version: action.sequence }));
  const last = currentOf(versioned, ({ rewardId }) => rewardId);
  const issued = Map.groupBy(issuedOn(evidence), ({ rewardId }) => rewardId);
  const paid = last
    .filter(({ type, rewardId }) => type === 'withheld' && issued.has(rewardId))
    .map(({ tenantId, rewardId, at }) => {
      const credits = asDecimal(sumOf(issued.get(rewardId)!.map((one) => creditsOf(one.credits))));
      return `reward ${rewardId} of ${tenantId} was withheld at ${at}, and ${credits} were issued`;
    });
  return [...lost, ...paid];
}

function nameOf(...said: (string | undefined)[]): string {
  return JSON.stringify(said);
}

/**
 * Recipients who got more than all that was ever settled for them was worth at one time. Who was
 * issued something and then lost it owes it; what becomes payable later is netted first, and only
 * the rest of it is issued. So after each issuance, what a recipient was ever issued is not more
 * than what all their settled rewards are worth at that moment.
 *
 * Postings are taken by when their transactions began, which of one recipient is all but the order
 * of their commits: the transactions of a recipient wait for each other. A reward that was never
 * settled, because it is held to the end or was taken back before, takes no part.
 *
 * This is judged by the ledger of the first generation, if it is there: what is built from the log
 * later has each reward as it is then, and not what it was worth before. Where an operator made
 * another one live and dropped the first, what was issued before is taken as it is; what came after
 * is judged by the other one.
 */
export function paidThoughOwing(evidence: Evidence): string[] {
  const { live, run } = generationsOf(evidence);
  const { swappedAt } = evidence.row;
  const isFirst = run.includes(1);
  if (!isFirst && swappedAt === undefined) return [];
  const before = Map.groupBy(
    isFirst ? [] : issuedOn(evidence).filter(({ issuedAt }) => issuedAt <= swappedAt!),
    ({ tenantId, recipientId }) => nameOf(tenantId, recipientId),
  );
  const settled = new Set(
    objectsOf<RewardRecord>(everPublished(evidence, 'rewards'))
      .filter(({ state }) => state === 'issued')
      .map(({ rewardId }) => rewardId),
  );
  const postings = generationOf(evidence, isFirst ? 1 : live).rows('rewards', 'ledger_posting');
  const byRecipient = Map.groupBy(postings, (posting) =>
    nameOf(posting['tenant_id'] ?? '', posting['recipient_id'] ?? ''),
  );
  return [...byRecipient].flatMap(([recipient, own]) => {
    const issued = sumOf(own.map((posting) => creditsOf(posting['issued'])));
    const most = mostWorth(own.filter((posting) => settled.has(posting['reward_id'] ?? '')));
    const paid = sumOf((before.get(recipient) ?? []).map(({ credits }) => creditsOf(credits)));
    if (compare(issued, most) <= 0 || compare(issued, paid) <= 0) return [];
    const credits = `${asDecimal(issued)} credits`;
    return [`${recipient} has ${credits} issued, and never had more than ${asDecimal(most)}`];
  });
}

/** The most that the rewards of these postings were worth together at any time. */
function mostWorth(postings: readonly TableRow[]) {
  let [worth, most] = [zero, zero];
  for (const posting of postings.toSorted(byTime)) {
    const cost = plus(creditsOf(posting['entitled']), creditsOf(posting['left_entitled']));
    worth = minus(worth, cost);
    if (compare(worth, most) > 0) most = worth;
  }
  return most;
}

/** As Postgres writes times in UTC, their texts are in order. */
function byTime(a: TableRow, b: TableRow): number {
  const [one, two] = [a['posted_at'] ?? '', b['posted_at'] ?? ''];
  return one < two ? -1 : one > two ? 1 : 0;
}

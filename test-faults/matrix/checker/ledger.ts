import { topics as topicTable } from '@tributary/contracts/topics';
import { asDecimal, compare, zero } from '../../oracle/rational.ts';
import type { Evidence, TableRow } from '../evidence.ts';
import { everPublished, liveOf } from './live.ts';
import { lostEvents } from './lost.ts';
import {
  areEqual,
  creditsForm,
  creditsOf,
  issuedOn,
  type IssuedRecord,
  objectsOf,
  type RewardRecord,
  sumOf,
} from './money.ts';
import { againstOperators, paidThoughOwing } from './settlement.ts';
import { createVerdict, type Verdict } from './verdict.ts';

/**
 * Every posting of the ledger sums to zero; of each reward the ledger says what the reward says and
 * what was issued; no reward was issued beyond what it was ever worth, before its hold ended or
 * though it was withheld; nobody was issued what is netted against what they owe; and what stood in
 * the ledger when the fault had healed stands there unchanged.
 */
export function ledgerAddsUp(evidence: Evidence): Verdict {
  const { verdict, judge, breaks } = createVerdict();
  const live = liveOf(evidence);
  const postings = live.rows('rewards', 'ledger_posting');
  for (const posting of postings) judge(wrongIn(posting));
  const byReward = Map.groupBy(postings, (posting) => posting['reward_id'] ?? '');
  const issued = Map.groupBy(issuedOn(evidence), ({ rewardId }) => rewardId);
  const rewards = live.rows('rewards', 'entitlement');
  for (const reward of rewards) {
    const id = reward['reward_id'] ?? '';
    const own = byReward.get(id) ?? [];
    const booked = sumOf(
      own.flatMap((one) => [creditsOf(one['entitled']), creditsOf(one['left_entitled'])]),
    );
    const paid = sumOf(own.map((one) => creditsOf(one['issued'])));
    const facts = sumOf((issued.get(id) ?? []).map(({ credits }) => creditsOf(credits)));
    const says = `reward ${id} of ${reward['tenant_id']}`;
    if (!areEqual(sumOf([booked, creditsOf(reward['entitled'])]), zero)) {
      breaks(`${says} is entitled to ${reward['entitled']}, and the ledger says otherwise`);
    }
    if (!areEqual(paid, creditsOf(reward['issued'])) || !areEqual(paid, facts)) {
      breaks(`${says} has ${reward['issued']} issued, and the ledger or the log say otherwise`);
    }
  }
  const known = new Set(rewards.map((reward) => reward['reward_id']));
  for (const id of rewardsOfLost(evidence)) known.add(id);
  for (const id of [...byReward.keys(), ...issued.keys()]) {
    if (!known.has(id)) breaks(`reward ${id} of the ledger or the log is in no table`);
  }
  const versions = groupByReward(objectsOf<RewardRecord>(everPublished(evidence, 'rewards')));
  const said = groupByReward(objectsOf<IssuedRecord>(evidence.topics[topicTable.issuances.name]));
  for (const [id, own] of issued) {
    const isReleased = said.get(id)?.some(({ type }) => type === 'released') ?? false;
    const problem =
      wronglyIssued(own, versions.get(id) ?? []) ??
      (isReleased ? undefined : issuedEarly(evidence, own, versions.get(id) ?? []));
    if (problem !== undefined) breaks(`reward ${id} of ${own[0]?.tenantId} ${problem}`);
  }
  for (const problem of [
    ...changedPostings(evidence),
    ...againstOperators(evidence),
    ...paidThoughOwing(evidence),
  ]) {
    breaks(problem);
  }
  return verdict;
}

/** What was issued for an event that the broker lost stays issued; its reward is gone. */
function rewardsOfLost(evidence: Evidence): string[] {
  const lost = new Set(lostEvents(evidence).map(({ eventId }) => eventId));
  return objectsOf<RewardRecord>(everPublished(evidence, 'rewards'))
    .filter(({ eventId }) => lost.has(eventId))
    .map(({ rewardId }) => rewardId);
}

const moneyColumns = ['entitled', 'owed', 'issued', 'left_entitled', 'left_owed'];

function wrongIn(posting: TableRow): string | undefined {
  const id = posting['posting_id'];
  const float = moneyColumns.find((name) => !creditsForm.test(posting[name] ?? '0'));
  if (float !== undefined) return `posting ${id} has ${float} ${posting[float]}, no exact decimal`;
  const sums = [moneyColumns.slice(0, 3), moneyColumns.slice(3)].map((names) =>
    sumOf(names.map((name) => creditsOf(posting[name]))),
  );
  if (sums.every((sum) => areEqual(sum, zero))) return undefined;
  return `posting ${id} of ${posting['tenant_id']} does not sum to zero`;
}

function groupByReward<T extends { rewardId: string }>(records: readonly T[]) {
  return Map.groupBy(records, ({ rewardId }) => rewardId);
}

/** What is wrong with all that was issued for one reward. */
function wronglyIssued(
  issued: readonly IssuedRecord[],
  versions: readonly RewardRecord[],
): string | undefined {
  const paid = sumOf(issued.map(({ credits }) => creditsOf(credits)));
  if (!versions.some((one) => compare(paid, creditsOf(one.entitledCredits)) <= 0)) {
    return `has ${asDecimal(paid)} credits issued, and was never worth as much`;
  }
  return undefined;
}

/** Whatever the product takes for the time: nothing was issued after the end of the row. */
function issuedEarly(
  { row }: Evidence,
  issued: readonly IssuedRecord[],
  versions: readonly RewardRecord[],
): string | undefined {
  const endedAt = row.rebuild?.endedAt;
  for (const { issuedAt } of issued) {
    const at = endedAt !== undefined && endedAt < issuedAt ? endedAt : issuedAt;
    if (versions.every(({ maturesAt }) => maturesAt !== undefined && maturesAt > at)) {
      return `was issued by ${at}, and held until ${versions.at(-1)?.maturesAt}`;
    }
  }
  return undefined;
}

function changedPostings({ earlierTables, tables }: Evidence): string[] {
  return Object.entries(earlierTables).flatMap(([table, earlier]) => {
    const now = new Map(
      (tables[table] ?? []).map((posting) => [posting['posting_id'], JSON.stringify(posting)]),
    );
    return earlier
      .filter((posting) => now.get(posting['posting_id'] ?? null) !== JSON.stringify(posting))
      .map((posting) => `posting ${posting['posting_id']} of ${table} was changed or removed`);
  });
}

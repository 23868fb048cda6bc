import { topics as topicTable } from '@tributary/contracts/topics';
import { compare, decimal, plus, type Rational, zero } from '../../oracle/rational.ts';
import type { Evidence, LogRecord, TableRow } from '../evidence.ts';
import { countBy, createVerdict, type Verdict } from './verdict.ts';

export type RewardRecord = {
  rewardId: string;
  version: number;
  tenantId: string;
  recipientId: string;
  campaignId: string;
  ruleId: string;
  recipientRole: string;
  businessKey: string;
  eventId: string;
  entitledCredits: string;
};

export type IssuedRecord = {
  type: string;
  issuanceId: string;
  rewardId: string;
  tenantId: string;
  recipientId: string;
  credits: string;
  webhookEventId: string;
};

/** Records of a topic that are JSON objects; what is poison is not. */
export function objectsOf<T extends object>(records: readonly LogRecord[] | undefined): T[] {
  return (records ?? []).flatMap(({ value }) => {
    try {
      const parsed = JSON.parse(value ?? 'null') as T | null;
      return typeof parsed === 'object' && parsed !== null ? [parsed] : [];
    } catch {
      return [];
    }
  });
}

/** The record with the highest version of each entity. */
export function currentOf<T extends { version: number }>(
  records: readonly T[],
  idOf: (record: T) => string,
): T[] {
  const current = new Map<string, T>();
  for (const record of records) {
    const known = current.get(idOf(record));
    if (known === undefined || record.version > known.version) current.set(idOf(record), record);
  }
  return [...current.values()];
}

/** Issuances of the log, one of each. */
export function issuedOn({ topics }: Evidence): IssuedRecord[] {
  const issued = objectsOf<IssuedRecord>(topics[topicTable.issuances.name]).filter(
    ({ type, issuanceId }) => type === 'issued' && typeof issuanceId === 'string',
  );
  return [...new Map(issued.map((one) => [JSON.stringify(one), one])).values()];
}

/** An exact decimal as credits are written, never a float. */
const creditsForm = /^-?[0-9]+(\.[0-9]+)?$/;

export function creditsOf(text: string | null | undefined): Rational {
  if (text === null || text === undefined) return zero;
  if (!creditsForm.test(text)) throw new Error(`${text} is no decimal`);
  return decimal(text);
}

export function sumOf(credits: Iterable<Rational>): Rational {
  return [...credits].reduce(plus, zero);
}

export function areEqual(a: Rational, b: Rational): boolean {
  return compare(a, b) === 0;
}

/**
 * A business fact earns once by each rule for each recipient: on the topic of rewards and in the
 * table. And a reward is issued under one id at a time, never twice under two for the same credits.
 */
export function oneRewardPerRule(evidence: Evidence): Verdict {
  const { verdict, judge, breaks } = createVerdict();
  const published = currentOf(
    objectsOf<RewardRecord>(evidence.topics[topicTable.rewards.name]),
    ({ rewardId }) => rewardId,
  ).filter(({ entitledCredits }) => entitledCredits !== '0');
  const stored = entitled(evidence);
  const cause = (tenantId: unknown, businessKey: unknown, ruleId: unknown, role: unknown) =>
    JSON.stringify([tenantId, businessKey, ruleId, role]);
  const onTopic = countBy(published, (reward) =>
    cause(reward.tenantId, reward.businessKey, reward.ruleId, reward.recipientRole),
  );
  const inTable = countBy(stored, (row) =>
    cause(row['tenant_id'], row['business_key'], row['rule_id'], row['recipient_role']),
  );
  for (const [name, count] of inTable) {
    const told = onTopic.get(name) ?? 0;
    judge(
      count === 1 && told === 1
        ? undefined
        : `${name} has ${count} rewards in the table and ${told} on the log`,
    );
  }
  for (const name of onTopic.keys()) {
    if (!inTable.has(name)) breaks(`${name} has a reward on the log that is in no table`);
  }
  const events = countBy(stored, (row) =>
    JSON.stringify([row['tenant_id'], row['event_id'], row['rule_id'], row['recipient_role']]),
  );
  for (const [name, count] of events) {
    if (count > 1) breaks(`event and rule ${name} have ${count} rewards`);
  }
  for (const reward of published) {
    const row = stored.find((one) => one['reward_id'] === reward.rewardId);
    if (row && !areEqual(creditsOf(row['entitled']), creditsOf(reward.entitledCredits))) {
      breaks(
        `reward ${reward.rewardId} is ${reward.entitledCredits} on the log, else in the table`,
      );
    }
  }
  return verdict;
}

export function entitled({ tables }: Evidence, generation = 1): TableRow[] {
  const rows = tables[`rewards_g${generation}.entitlement`] ?? [];
  return rows.filter((row) => !areEqual(creditsOf(row['entitled']), zero));
}

/**
 * Every posting of the ledger sums to zero; of each reward the ledger says what the reward says and
 * what was issued; and what stood in the ledger when the fault had healed stands there unchanged.
 */
export function ledgerAddsUp(evidence: Evidence): Verdict {
  const { verdict, judge, breaks } = createVerdict();
  const postings = evidence.tables['rewards_g1.ledger_posting'] ?? [];
  for (const posting of postings) judge(wrongIn(posting));
  const byReward = Map.groupBy(postings, (posting) => posting['reward_id'] ?? '');
  const issued = Map.groupBy(issuedOn(evidence), ({ rewardId }) => rewardId);
  const rewards = evidence.tables['rewards_g1.entitlement'] ?? [];
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
  for (const id of [...byReward.keys(), ...issued.keys()]) {
    if (!known.has(id)) breaks(`reward ${id} of the ledger or the log is in no table`);
  }
  for (const problem of changedPostings(evidence, postings)) breaks(problem);
  return verdict;
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

function changedPostings({ earlierTables }: Evidence, postings: readonly TableRow[]): string[] {
  const now = new Map(postings.map((posting) => [posting['posting_id'], JSON.stringify(posting)]));
  return (earlierTables['rewards_g1.ledger_posting'] ?? [])
    .filter((posting) => now.get(posting['posting_id'] ?? null) !== JSON.stringify(posting))
    .map((posting) => `posting ${posting['posting_id']} was changed or removed`);
}

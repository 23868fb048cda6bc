import { topics as topicTable } from '@tributary/contracts/topics';
import { compare, decimal, plus, type Rational, zero } from '../../oracle/rational.ts';
import type { Evidence, LogRecord, TableRow } from '../evidence.ts';
import { generationOf, generationsOf, liveOf } from './live.ts';
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
  state: string;
  entitledCredits: string;
  /** When its hold ends; absent: it has none. */
  maturesAt?: string;
};

export type IssuedRecord = {
  type: string;
  issuanceId: string;
  rewardId: string;
  tenantId: string;
  recipientId: string;
  credits: string;
  issuedAt: string;
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
export const creditsForm = /^-?[0-9]+(\.[0-9]+)?$/;

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
    objectsOf<RewardRecord>(liveOf(evidence).records('rewards')),
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
  // The first row of each reward; that there are several is another mistake.
  const rows = new Map(stored.toReversed().map((row) => [row['reward_id'], row]));
  for (const reward of published) {
    const row = rows.get(reward.rewardId);
    if (row && !areEqual(creditsOf(row['entitled']), creditsOf(reward.entitledCredits))) {
      breaks(
        `reward ${reward.rewardId} is ${reward.entitledCredits} on the log, else in the table`,
      );
    }
  }
  return verdict;
}

/** Rewards of the live generation, or of that one, that are worth something. */
export function entitled(
  evidence: Evidence,
  generation = generationsOf(evidence).live,
): TableRow[] {
  const rows = generationOf(evidence, generation).rows('rewards', 'entitlement');
  return rows.filter((row) => !areEqual(creditsOf(row['entitled']), zero));
}

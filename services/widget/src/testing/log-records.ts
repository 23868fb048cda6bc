import {
  catalogCodec,
  catalogSchemaVersion,
  type CatalogRecord,
  type ErasureRecord,
} from '@tributary/contracts/catalog-record';
import { codeCodec, type CodeRecord } from '@tributary/contracts/code-record';
import {
  decisionCodec,
  type DecisionRecord,
  decisionKey,
  decisionSchemaVersion,
} from '@tributary/contracts/decision-record';
import { derivedId } from '@tributary/contracts/derived-id';
import {
  issuanceCodec,
  type IssuanceFact,
  type IssuanceRecord,
  issuanceSchemaVersion,
  type RewardActionRecord,
} from '@tributary/contracts/issuance-record';
import {
  personCodec,
  type PersonRecord,
  personSchemaVersion,
} from '@tributary/contracts/people-record';
import {
  rewardCodec,
  type RewardRecord,
  rewardSchemaVersion,
} from '@tributary/contracts/reward-record';
import { parseTimestamp } from '@tributary/contracts/rfc3339';
import { recordKey } from '@tributary/contracts/topics';
import type { OnLog as RecordOnLog } from '@tributary/generations/testing/read-model-world';
import type { TopicRead } from '../log/sources.ts';

/** Builders of what the log tells the widget. */
export const tenantId = 'acme';

/** n minutes after noon of the first of March. */
export function minute(n: number): string {
  return new Date(Date.UTC(2026, 2, 1, 12, n)).toISOString();
}

export function codeOf(ucc: string, changes: Partial<CodeRecord> = {}): CodeRecord {
  const common = { schemaVersion: 1 as const, type: 'code-issued' as const, tenantId, ucc };
  const rest = { version: 1, campaignId: 'spring', productUserId: 'ada', at: minute(0) };
  return { ...common, ...rest, ...changes };
}

export function disabled(code: CodeRecord, at: string): CodeRecord {
  return { ...code, type: 'code-disabled', version: code.version + 1, at };
}

export function personOf(userId: string, changes: Partial<PersonRecord> = {}): PersonRecord {
  const receivedAt = minute(1);
  return { schemaVersion: personSchemaVersion, tenantId, userId, receivedAt, ...changes };
}

export function erasureOf(userId: string, erasedAt: string, version = 1): ErasureRecord {
  const common = { schemaVersion: catalogSchemaVersion, tenantId, version, publishedAt: erasedAt };
  return { ...common, entity: 'erasure', userId, erasedAt };
}

type Fact = { n: number; userId: string; at?: string };

/** The decision on a fact, attributed to ada; `full`: when the refund came that left nothing. */
export function decisionOn(
  eventType: DecisionRecord['eventType'],
  { n, userId, at = minute(n) }: Fact,
  changes: Partial<DecisionRecord> = {},
): DecisionRecord {
  const eventId = `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;
  return {
    schemaVersion: decisionSchemaVersion,
    decisionId: derivedId('decision', tenantId, eventId),
    version: 1,
    tenantId,
    eventId,
    eventType,
    source: 'v2',
    newUserId: userId,
    ucc: 'ada-code',
    occurredAt: at,
    occurredAtSeconds: secondsOf(at),
    receivedAt: minute(n),
    ...(eventType === 'purchase-created' && { purchase: payment }),
    ...(eventType === 'purchase-refunded' && { refund: payment }),
    businessKey: JSON.stringify([eventType, tenantId, n]),
    outcome: 'attributed',
    campaignId: 'spring',
    campaignRevision: 1,
    referrerId: 'ada',
    flags: [],
    tests: [],
    ...changes,
  };
}

/** What refunds took of a purchase by then. */
export function reversed(decision: DecisionRecord, at: string, full: boolean): DecisionRecord {
  const seconds = secondsOf(at);
  const details = { eventId: 'refund', occurredAt: at, occurredAtSeconds: seconds, receivedAt: at };
  const step = { ...details, reversedAmount: full ? payment.amount : 1, full };
  const reversals = [...(decision.reversals ?? []), step];
  return { ...decision, version: decision.version + 1, reversals };
}

/** The same event, and nobody has referred its user. */
export function notAttributed(
  decision: DecisionRecord,
  changes: Partial<DecisionRecord> = {},
): DecisionRecord {
  const { referrerId: _r, campaignRevision: _c, ...rest } = decision;
  return { ...rest, outcome: 'not-attributed', reason: 'code-disabled', ...changes };
}

export function rewardOf(n: number, changes: Partial<RewardRecord> = {}): RewardRecord {
  return {
    schemaVersion: rewardSchemaVersion,
    rewardId: derivedId('reward', tenantId, n),
    version: 1,
    tenantId,
    campaignId: 'spring',
    campaignRevision: 1,
    ruleId: 'purchase',
    recipientRole: 'referrer',
    recipientId: 'ada',
    businessKey: JSON.stringify([n]),
    eventId: `event-${n}`,
    decisionId: `decision-${n}`,
    decisionVersion: 1,
    state: 'held',
    entitledCredits: '10',
    issuedCredits: '0',
    tests: [],
    calculation: [],
    explanation: [],
    ...changes,
  };
}

export function issuanceOf(reward: RewardRecord, credits: string): IssuanceRecord {
  const issuanceId = derivedId('issuance', reward.rewardId, 0);
  return {
    ...ofReward(reward),
    type: 'issued',
    issuanceId,
    rewardType: 'credits',
    credits,
    issuedAt: minute(80),
    webhookEventId: derivedId('webhook-event', issuanceId),
  };
}

/** What an operator did about a reward. */
export function actionOn(
  reward: RewardRecord,
  type: RewardActionRecord['type'],
  sequence: number,
): RewardActionRecord {
  const actionId = derivedId('reward-action', reward.rewardId, sequence);
  return { ...ofReward(reward), type, actionId, sequence, by: 'test', at: minute(90 + sequence) };
}

function ofReward({ rewardId, tenantId: tenant, campaignId, recipientId }: RewardRecord) {
  const schemaVersion = issuanceSchemaVersion;
  return { schemaVersion, rewardId, tenantId: tenant, campaignId, recipientId };
}

/** A record on its topic, as text and as it was before. */
export type OnLog = RecordOnLog & { topic: TopicRead; decoded: unknown };

export const onLog = {
  code: (record: CodeRecord) =>
    entry('codes', recordKey(record.tenantId, record.ucc), record, codeCodec.encode),
  person: (record: PersonRecord) =>
    entry('people', recordKey(record.tenantId, record.userId), record, personCodec.encode),
  tombstone: (userId: string): OnLog => ({
    topic: 'people',
    key: recordKey(tenantId, userId),
    value: null,
    decoded: null,
  }),
  catalog: (record: CatalogRecord) =>
    entry('catalog', recordKey(record.tenantId), record, catalogCodec.encode),
  decision: (record: DecisionRecord) => {
    const key = decisionKey(record);
    return entry('attributions', key, record, decisionCodec.encode);
  },
  reward: (record: RewardRecord) => {
    const key = recordKey(record.tenantId, record.recipientId);
    return entry('rewards', key, record, rewardCodec.encode);
  },
  issuance: (record: IssuanceFact) => {
    const key = recordKey(record.tenantId, record.recipientId);
    return entry('issuances', key, record, issuanceCodec.encode);
  },
};

function entry<T>(topic: TopicRead, key: string, record: T, encode: (record: T) => string): OnLog {
  return { topic, key, value: encode(record), decoded: record };
}

const payment = { invoiceId: 'inv-1', currency: 'EUR', amount: 4_900 };

function secondsOf(at: string): string {
  return parseTimestamp(at)!.seconds;
}

import { purchaseBusinessKey, refundBusinessKey } from '@tributary/contracts/business-key';
import {
  type CampaignRevisionRecord,
  type CatalogRecord,
  catalogCodec,
  catalogSchemaVersion,
} from '@tributary/contracts/catalog-record';
import { type CodeRecord, codeCodec } from '@tributary/contracts/code-record';
import {
  type DeadLetterActionRecord,
  deadLetterActionId,
  deadLetterCodec,
  type DeadLetterFact,
  type DeadLetterPlace,
  type DeadLetterRecord,
  deadLetterSchemaVersion,
} from '@tributary/contracts/dead-letter-record';
import {
  type DecisionRecord,
  decisionCodec,
  decisionKey,
  decisionSchemaVersion,
} from '@tributary/contracts/decision-record';
import {
  deliveryCodec,
  type DeliveryExpiryRecord,
  type DeliveryFact,
  type DeliveryRecord,
  type DeliveryResendRecord,
  deliverySchemaVersion,
} from '@tributary/contracts/delivery-record';
import { derivedId } from '@tributary/contracts/derived-id';
import {
  eventCodec,
  type EventRecord,
  eventSchemaVersion,
  type PurchaseCreatedEvent,
  type PurchaseRefundedEvent,
  type SignupCreatedEvent,
} from '@tributary/contracts/event-record';
import {
  issuanceCodec,
  type IssuanceFact,
  type IssuanceRecord,
  issuanceSchemaVersion,
  type RewardActionRecord,
} from '@tributary/contracts/issuance-record';
import { personCodec, type PersonRecord } from '@tributary/contracts/people-record';
import {
  rewardCodec,
  type RewardRecord,
  rewardSchemaVersion,
} from '@tributary/contracts/reward-record';
import { parseTimestamp } from '@tributary/contracts/rfc3339';
import { recordKey, topics } from '@tributary/contracts/topics';
import type { TopicRead } from '../console/log/sources.ts';

/** Builders of what all topics say, and one story told by all of them. */
export const tenantId = 'acme';

export function uuid(n: number): string {
  return `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;
}

type Shape = { tenantId?: string; userId?: string; ucc?: string; occurredAt?: string };

function common(n: number, { tenantId: tenant = tenantId, ...shape }: Shape = {}) {
  const { userId = 'cara', ucc = 'ada-code', occurredAt = '2026-03-01T12:00:00Z' } = shape;
  return {
    schemaVersion: eventSchemaVersion,
    eventId: uuid(n),
    tenantId: tenant,
    source: 'v2' as const,
    receivedAt: receivedAt(n),
    occurredAt,
    occurredAtSeconds: parseTimestamp(occurredAt)?.seconds ?? '0',
    ucc,
    newUser: { id: userId },
  };
}

/** Event n is received n seconds after noon. */
export function receivedAt(n: number): string {
  return new Date(Date.parse('2026-03-01T12:00:00.000Z') + n * 1_000).toISOString();
}

export function signup(n: number, shape: Shape = {}): SignupCreatedEvent {
  return { ...common(n, shape), eventType: 'signup-created' };
}

export function purchase(
  n: number,
  {
    invoiceId = `inv-${n}`,
    amount = 4_900,
    ...shape
  }: Shape & {
    invoiceId?: string;
    amount?: number;
  } = {},
): PurchaseCreatedEvent {
  return {
    ...common(n, shape),
    eventType: 'purchase-created',
    purchase: { invoiceId, currency: 'EUR', amount, subscription: { interval: 'monthly' } },
  };
}

export function refund(
  n: number,
  {
    invoiceId,
    amount,
    currency = 'EUR',
    ...shape
  }: Shape & { invoiceId: string; amount: number; currency?: string },
): PurchaseRefundedEvent {
  return {
    ...common(n, shape),
    eventType: 'purchase-refunded',
    refund: { invoiceId, currency, amount },
  };
}

/** The decision on an event: attributed to ada, unless something else is said. */
export function decisionOn(
  event: EventRecord,
  changes: Partial<DecisionRecord> = {},
): DecisionRecord {
  const { eventId, eventType, source, ucc, occurredAt, occurredAtSeconds } = event;
  return {
    schemaVersion: decisionSchemaVersion,
    decisionId: derivedId('decision', event.tenantId, eventId),
    version: 1,
    tenantId: event.tenantId,
    eventId,
    eventType,
    source,
    newUserId: event.newUser.id,
    ucc,
    occurredAt,
    occurredAtSeconds,
    receivedAt: event.receivedAt,
    ...(event.eventType === 'purchase-created' && { purchase: event.purchase }),
    ...(event.eventType === 'purchase-refunded' && { refund: event.refund }),
    businessKey: keyOf(event),
    outcome: 'attributed',
    campaignId: 'spring',
    campaignRevision: 1,
    referrerId: 'ada',
    flags: [],
    tests: [{ test: 'code known', passed: true, detail: 'code "ada-code" belongs to user "ada"' }],
    ...changes,
  };
}

/** As {@link decisionOn}, of an event that nobody gets. */
export function notAttributed(
  event: EventRecord,
  changes: Partial<DecisionRecord>,
): DecisionRecord {
  const { campaignId: _c, campaignRevision: _r, referrerId: _f, ...rest } = decisionOn(event);
  return { ...rest, outcome: 'not-attributed', ...changes };
}

function keyOf(event: EventRecord): string {
  switch (event.eventType) {
    case 'purchase-created':
      return purchaseBusinessKey(event.tenantId, event.purchase.invoiceId ?? '');
    case 'purchase-refunded': {
      const { source, occurredAtSeconds, refund: details } = event;
      const { invoiceId = '', amount } = details;
      return refundBusinessKey(event.tenantId, { invoiceId, source, occurredAtSeconds, amount });
    }
    case 'signup-created':
    case 'demo-attended':
      return JSON.stringify([event.eventType, event.tenantId, event.newUser.id]);
    default:
      return event satisfies never;
  }
}

export function rewardFor(
  decision: DecisionRecord,
  changes: Partial<RewardRecord> = {},
): RewardRecord {
  const { ruleId = 'purchase', recipientRole = 'referrer', recipientId = 'ada' } = changes;
  const { tenantId: tenant, businessKey } = decision;
  return {
    schemaVersion: rewardSchemaVersion,
    rewardId: derivedId('reward', tenant, businessKey, ruleId, recipientRole, recipientId),
    version: 1,
    tenantId: tenant,
    campaignId: 'spring',
    campaignRevision: 1,
    ruleId,
    recipientRole,
    recipientId,
    businessKey,
    eventId: decision.eventId,
    decisionId: decision.decisionId,
    decisionVersion: decision.version,
    state: 'held',
    entitledCredits: '10',
    issuedCredits: '0',
    newUserId: decision.newUserId,
    occurredAt: decision.occurredAt,
    tests: [{ test: 'trigger', passed: true, detail: 'the rule is for purchases' }],
    calculation: [{ step: 'effect', detail: 'a fixed amount', credits: '10' }],
    explanation: [],
    ...changes,
  };
}

export function issuanceOf(
  reward: RewardRecord,
  n: number,
  changes: Partial<IssuanceRecord> = {},
): IssuanceRecord {
  return {
    schemaVersion: issuanceSchemaVersion,
    type: 'issued',
    issuanceId: uuid(1_000 + n),
    rewardId: reward.rewardId,
    tenantId: reward.tenantId,
    campaignId: reward.campaignId,
    recipientId: reward.recipientId,
    rewardType: 'credits',
    credits: reward.entitledCredits,
    issuedAt: receivedAt(100 + n),
    webhookEventId: uuid(2_000 + n),
    ...changes,
  };
}

export function actionOn(
  reward: RewardRecord,
  sequence: number,
  type: RewardActionRecord['type'],
): RewardActionRecord {
  const { rewardId, tenantId: tenant, campaignId, recipientId } = reward;
  const ids = { rewardId, tenantId: tenant, campaignId, recipientId };
  return {
    ...ids,
    schemaVersion: issuanceSchemaVersion,
    type,
    actionId: derivedId('reward-action', rewardId, sequence),
    sequence,
    by: 'olga@ops',
    note: 'looked at the invoices',
    at: receivedAt(90 + sequence),
  };
}

export function attemptOf(
  { tenantId: tenant, issuanceId, webhookEventId }: IssuanceRecord,
  attempt: number,
  changes: Partial<DeliveryRecord> = {},
): DeliveryRecord {
  return {
    schemaVersion: deliverySchemaVersion,
    type: 'attempted',
    tenantId: tenant,
    webhookEventId,
    issuanceId,
    round: 0,
    attempt,
    step: attempt,
    outcome: 'delivered',
    result: 'status',
    statusCode: 200,
    startedAt: receivedAt(200 + attempt),
    durationMs: 12,
    ...changes,
  };
}

export function expiryOf(
  { tenantId: tenant, issuanceId, webhookEventId }: IssuanceRecord,
  round: number,
  attempts: number,
): DeliveryExpiryRecord {
  return {
    schemaVersion: deliverySchemaVersion,
    type: 'expired',
    tenantId: tenant,
    webhookEventId,
    issuanceId,
    round,
    attempts,
    at: receivedAt(210 + round),
  };
}

export function resendOf(
  { tenantId: tenant, issuanceId, webhookEventId }: IssuanceRecord,
  round: number,
  attempts: number,
): DeliveryResendRecord {
  return {
    schemaVersion: deliverySchemaVersion,
    type: 'resent',
    tenantId: tenant,
    webhookEventId,
    issuanceId,
    round,
    attempts,
    by: 'olga@ops',
    note: 'they were down',
    at: receivedAt(220 + round),
  };
}

export function codeOf(changes: Partial<CodeRecord> = {}): CodeRecord {
  return {
    schemaVersion: 1,
    type: 'code-issued',
    tenantId,
    ucc: 'ada-code',
    version: 1,
    campaignId: 'spring',
    productUserId: 'ada',
    at: '2026-01-01T00:00:00.000Z',
    ...changes,
  };
}

export function revisionOf(changes: Partial<CampaignRevisionRecord> = {}): CampaignRevisionRecord {
  return {
    schemaVersion: catalogSchemaVersion,
    tenantId,
    version: 1,
    publishedAt: '2026-01-01T00:00:00.000Z',
    entity: 'campaign-revision',
    campaignId: 'spring',
    revision: 1,
    name: 'Spring',
    status: 'running',
    effectiveFrom: '2026-01-01T00:00:00.000Z',
    landingUrl: 'https://example.com/join',
    creditScale: 2,
    rules: [
      {
        ruleId: 'purchase',
        trigger: 'purchase-created',
        recipient: 'both',
        effect: { kind: 'fixed', credits: '10' },
        newUserEffect: { kind: 'fixed', credits: '3' },
      },
      {
        ruleId: 'yearly',
        trigger: 'purchase-created',
        recipient: 'referrer',
        effect: { kind: 'fixed', credits: '50' },
        conditions: { intervals: ['yearly'] },
      },
    ],
    ...changes,
  };
}

export function erasureOf(userId: string, erasedAt: string, version = 1): CatalogRecord {
  return {
    schemaVersion: catalogSchemaVersion,
    tenantId,
    version,
    publishedAt: erasedAt,
    entity: 'erasure',
    userId,
    erasedAt,
  };
}

export function personOf(userId: string, changes: Partial<PersonRecord> = {}): PersonRecord {
  return {
    schemaVersion: 2,
    tenantId,
    userId,
    email: `${userId}@example.com`,
    name: `${userId} Example`,
    receivedAt: receivedAt(1),
    ...changes,
  };
}

/** What a reader says of the record at offset n of the events. */
export function letterOf(
  reader: string,
  n: number,
  changes: Partial<DeadLetterRecord> = {},
): DeadLetterRecord {
  const origin = { ...placeOf(n), key: 'acme:cara' };
  return {
    schemaVersion: deadLetterSchemaVersion,
    type: 'put-aside',
    deadLetterId: derivedId('dead-letter', reader, origin.topic, origin.partition, origin.offset),
    origin,
    reader,
    reason: 'schema',
    detail: '/occurredAt: Required property',
    value: Buffer.from('{"schemaVersion":3}').toString('base64'),
    originTimestampMs: Date.parse(receivedAt(n)),
    ...changes,
  };
}

export function actionOnLetter(
  n: number,
  type: DeadLetterActionRecord['type'],
): DeadLetterActionRecord {
  const origin = placeOf(n);
  const actionId = deadLetterActionId(origin, type);
  const byWhom = { by: 'ops@example.com', at: receivedAt(n + 100) };
  return { schemaVersion: deadLetterSchemaVersion, type, actionId, origin, ...byWhom };
}

function placeOf(n: number): DeadLetterPlace {
  return { topic: topics.events.name, partition: 3, offset: String(n) };
}

/** A record on its topic, as text. */
export type OnLog = { topic: TopicRead; key: string; value: string | null; decoded: unknown };

export const onLog = {
  event: (record: EventRecord) =>
    entry('events', recordKey(record.tenantId, record.newUser.id), record, eventCodec.encode),
  decision: (record: DecisionRecord) =>
    entry('attributions', decisionKey(record), record, decisionCodec.encode),
  reward: (record: RewardRecord) =>
    entry('rewards', recordKey(record.tenantId, record.recipientId), record, rewardCodec.encode),
  issuance: (record: IssuanceFact) =>
    entry(
      'issuances',
      recordKey(record.tenantId, record.recipientId),
      record,
      issuanceCodec.encode,
    ),
  delivery: (record: DeliveryFact) =>
    entry(
      'deliveries',
      recordKey(record.tenantId, record.webhookEventId),
      record,
      deliveryCodec.encode,
    ),
  code: (record: CodeRecord) =>
    entry('codes', recordKey(record.tenantId, record.ucc), record, codeCodec.encode),
  catalog: (record: CatalogRecord) =>
    entry('catalog', recordKey(record.tenantId), record, catalogCodec.encode),
  /** Letters and actions under the key of the record that they are about. */
  deadLetter: (record: DeadLetterFact, key = 'acme:cara') =>
    entry('deadLetters', key, record, deadLetterCodec.encode),
  person: (record: PersonRecord) =>
    entry('people', recordKey(record.tenantId, record.userId), record, personCodec.encode),
  tombstone: (userId: string, tenant = tenantId): OnLog => ({
    topic: 'people',
    key: recordKey(tenant, userId),
    value: null,
    decoded: null,
  }),
};

function entry<T>(topic: TopicRead, key: string, record: T, encode: (record: T) => string): OnLog {
  return { topic, key, value: encode(record), decoded: record };
}

/**
 * Cara signs up and buys for 49 EUR with ada's code; both are rewarded. The purchase is reported
 * twice, half of it is refunded after ada's reward was issued, and dora's event waits for its code.
 * The webhook of ada's reward expired and was sent again.
 * Erik was to be forgotten. Two records were put aside, one of them by two readers, and taken up.
 */
export function scenario() {
  const signedUp = signup(1, { occurredAt: '2026-03-01T11:00:00Z' });
  const bought = purchase(2, { invoiceId: 'inv-1' });
  const again: PurchaseCreatedEvent = {
    ...purchase(3, { invoiceId: 'inv-1', amount: 5_000 }),
    source: 'legacy',
  };
  const refunded = refund(4, {
    invoiceId: 'inv-1',
    amount: 2_450,
    occurredAt: '2026-03-05T12:00:00Z',
  });
  const waiting = signup(5, { userId: 'dora', ucc: 'nobodys' });

  const first = decisionOn(bought);
  const reversals = [
    {
      eventId: refunded.eventId,
      occurredAt: refunded.occurredAt,
      occurredAtSeconds: refunded.occurredAtSeconds,
      receivedAt: refunded.receivedAt,
      reversedAmount: 2_450,
      full: false,
    },
  ];
  const current = { ...first, version: 2, reversals };
  const unmatched = notAttributed(refunded, {
    outcome: 'waiting',
    reason: 'refund-without-purchase',
  });
  const matched = decisionOn(refunded, { version: 2, refundOf: bought.eventId });

  const forAda = rewardFor(first);
  const half = [
    { step: 'effect', detail: 'a fixed amount', credits: '10' },
    {
      step: 'refund',
      detail: '24.50 EUR of 49.00 EUR are left',
      credits: '5',
      eventId: refunded.eventId,
    },
  ] satisfies RewardRecord['calculation'];
  const forAdaNow = rewardFor(current, {
    version: 3,
    state: 'issued',
    entitledCredits: '5',
    issuedCredits: '10',
    calculation: half,
  });
  const forCara = rewardFor(first, {
    recipientRole: 'new-user',
    recipientId: 'cara',
    entitledCredits: '1.50',
    state: 'review',
    reviewReasons: ['revision-published-later'],
    calculation: [
      { step: 'effect', detail: 'a fixed amount', credits: '3' },
      { step: 'refund', detail: 'half is left', credits: '1.50', eventId: refunded.eventId },
    ],
  });
  const issued = issuanceOf(forAda, 1);
  const delivered = attemptOf(issued, 2, { round: 1, step: 1, startedAt: receivedAt(230) });
  const failed = attemptOf(issued, 1, {
    outcome: 'failed',
    result: 'timeout',
    startedAt: receivedAt(201),
    nextAttemptAt: receivedAt(206),
  });
  delete failed.statusCode;
  const records: OnLog[] = [
    onLog.catalog(revisionOf()),
    onLog.code(codeOf()),
    onLog.code(codeOf({ version: 2, type: 'code-disabled', at: '2026-06-01T00:00:00.000Z' })),
    ...[signedUp, bought, again, refunded, waiting].map(onLog.event),
    onLog.person(personOf('cara', { name: 'Cara Old', receivedAt: receivedAt(1) })),
    onLog.person(personOf('cara', { name: 'Cara Example', receivedAt: receivedAt(2) })),
    onLog.person(personOf('erik', { receivedAt: receivedAt(3) })),
    onLog.catalog(erasureOf('erik', receivedAt(50))),
    onLog.decision(decisionOn(signedUp)),
    onLog.decision(first),
    onLog.decision(current),
    onLog.decision(
      notAttributed(again, {
        reason: 'duplicate',
        duplicateOf: bought.eventId,
        flags: ['amount-differs'],
      }),
    ),
    onLog.decision(unmatched),
    onLog.decision(matched),
    onLog.decision(
      notAttributed(waiting, {
        outcome: 'waiting',
        reason: 'unknown-code',
        waitsUntil: '2026-03-31T12:00:05.000Z',
        tests: [
          { test: 'code known', passed: false, detail: 'nobody has published code "nobodys"' },
        ],
      }),
    ),
    onLog.reward(forAda),
    onLog.reward({ ...forAda, version: 2, state: 'issued', issuedCredits: '10' }),
    onLog.reward(forAdaNow),
    onLog.reward(forCara),
    onLog.issuance(issued),
    onLog.issuance(actionOn(forCara, 1, 'withheld')),
    ...[failed, expiryOf(issued, 0, 1), resendOf(issued, 1, 1), delivered].map(onLog.delivery),
    ...[letterOf('attribution', 7), letterOf('portal', 7), letterOf('portal', 8)].map((letter) =>
      onLog.deadLetter(letter),
    ),
    onLog.deadLetter(actionOnLetter(7, 'discarded')),
    onLog.deadLetter(actionOnLetter(7, 'redriven')),
  ];
  return { records, signedUp, bought, again, refunded, waiting, forAda, forCara, issued };
}

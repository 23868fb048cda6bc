import { topics as topicTable } from '@tributary/contracts/topics';
import { codeOf, purchase, signup } from '../../chain/records.ts';
import { withoutArrival } from '../../processor/compare-facts.ts';
import type { ExpectedFact } from '../../processor/expected-facts.ts';
import type { SentRequest } from '../evidence.ts';

const at = '2026-03-02T10:00:00.000Z';
const endedAt = '2026-03-02T10:00:01.000Z';
const dayBefore = '2026-03-01T10:00:00.000Z';
const connectionId = '0123456789abcdef';

export const booter = { tenantId: 't1', userId: 'mx.t1.w1', ucc: 'Derived0001' };
/** Who booted with a token that is of nobody. */
export const refused = 'mx.t1.w2';
/** Who was not answered. */
export const unanswered = 'mx.t1.w3';

/** A signup that a browser alone reported, and what was paid at Stripe. */
export const recovered = signup({
  ...{ n: 4, tenantId: 't1', userId: booter.userId, ucc: 'code-t1', occurredAt: at },
  source: 'widget',
});
export const charged = purchase({
  ...{ n: 5, tenantId: 't2', userId: 'mx.t2.s1', ucc: 'code-t2', occurredAt: at },
  ...{ source: 'processor', payment: { invoiceId: 'in_1', currency: 'EUR', amount: 4_900 } },
});
export const stripeFacts = (): ExpectedFact[] => [
  structuredClone(withoutArrival(charged)) as ExpectedFact,
];

/** Before anybody booted. */
export const codesReadByWidget = () => ({
  ...{ at: '2026-03-02T09:00:00.000Z', schema: 'widget_r2', topic: topicTable.codes.name },
  ...{ partition: 0, epoch: 1, next: 100 },
});

export const codesOfUsers = () => [
  codeOf({ ...booter, campaignId: 'c1', productUserId: booter.userId }),
  codeOf({ tenantId: 't1', campaignId: 'c1', ucc: 'Derived0003', productUserId: unanswered }),
];

export const personOf = (canary: string) => ({
  ...{ tenantId: 't1', userId: booter.userId, email: emailOf(canary) },
});

const emailOf = (canary: string) => `${canary}w1@x.example`;

/** The topic of Stripe's events; the second is ours, to try the way in. */
export const processorRecords = () => [
  receivedOf('evt_1'),
  { ...receivedOf('evt_test'), ignored: 'connection-test' },
];

export function receivedOf(processorEventId: string) {
  return { type: 'received', processorEventId, tenantId: 't2', connectionId, kind: 'invoice.paid' };
}

/**
 * Boots of one who is answered twice, one who is refused and one who gets no answer; an event of
 * Stripe that is told twice, and two that are refused.
 */
export function sourceRequests(canary: string): SentRequest[] {
  const times = { sentAt: at, endedAt };
  const boot = { ...times, by: 'user', tenantId: 't1', method: 'POST' } as const;
  const click = { ucc: 'code-t1', capturedAt: dayBefore };
  const bodyOf = (userId: string, productUserDetails: object) =>
    JSON.stringify({ token: tokenOf(userId), productUserDetails, click });
  const booted: SentRequest = {
    ...{ ...boot, path: '/widget/session', proof: 'right', outcome: 'ok', status: 200 },
    body: bodyOf(booter.userId, { email: emailOf(canary) }),
    answer: JSON.stringify({ productUserId: booter.userId, invite: { ucc: booter.ucc } }),
  };
  const event = { ...times, by: 'stripe', tenantId: 't2', method: 'POST' } as const;
  const told: SentRequest = {
    ...{ ...event, path: `/processor/stripe/${connectionId}`, proof: 'right', outcome: 'ok' },
    ...{
      status: 200,
      body: '{"id":"evt_1","request":{"id":null}}',
      answer: '{"received":true,"id":"evt_1"}',
    },
  };
  const no = { outcome: 'failed', status: 401, answer: '{"code":"UNAUTHORIZED"}' } as const;
  const { status: _status, answer: _answer, ...unheard } = booted;
  return [
    ...[booted, { ...booted }],
    { ...booted, ...no, proof: 'wrong', body: bodyOf(refused, {}) },
    { ...unheard, outcome: 'unknown', failure: 'ECONNRESET', body: bodyOf(unanswered, {}) },
    ...[told, { ...told }],
    { ...told, ...no, proof: 'old', body: '{"id":"evt_2","request":{"id":null}}' },
    { ...told, ...no, proof: 'wrong', body: '{"id":"evt_3","request":{"id":null}}' },
  ];
}

function tokenOf(productUserId: string): string {
  const claims = Buffer.from(JSON.stringify({ productUserId })).toString('base64url');
  return `header.${claims}.signature`;
}

export const topicOfStripe = topicTable.processor.name;

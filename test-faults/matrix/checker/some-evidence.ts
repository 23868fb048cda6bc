import type { CampaignRule } from '@tributary/contracts/campaign-rule';
import type { EventRecord } from '@tributary/contracts/event-record';
import { topics as topicTable } from '@tributary/contracts/topics';
import { codeOf, purchase, revisionOf, signup, tenantOf } from '../../chain/records.ts';
import type { Evidence, LogRecord, SentRequest, TableRow, Webhook } from '../evidence.ts';
import {
  charged,
  codesOfUsers,
  codesReadByWidget,
  personOf,
  processorRecords,
  recovered,
  sourceRequests,
  stripeFacts,
  topicOfStripe,
} from './some-sources.ts';

export const canary = 'canary0123x';
export const secret = 'a-secret-of-the-deployment';

const at = '2026-03-02T10:00:00.000Z';
const tenants = ['t1', 't2'];
const key = 'key-1';

/** A purchase with a key of t1, one without of t2, and a signup by the older endpoint. */
const bought: EventRecord = {
  ...purchase({
    ...{ n: 1, tenantId: 't1', userId: 'mx.t1.u1', ucc: 'code-t1', occurredAt: at },
    payment: { invoiceId: 'mx.t1.i1', currency: 'EUR', amount: 4_900 },
  }),
  idempotency: { key, fingerprint: 'f' },
};
const unanswered = purchase({
  ...{ n: 2, tenantId: 't2', userId: 'mx.t2.u1', ucc: 'code-t2', occurredAt: at },
  payment: { invoiceId: 'mx.t2.i1', currency: 'EUR', amount: 100 },
});
const signedUp = signup({
  ...{ n: 3, tenantId: 't1', userId: 'mx.t1.u2', ucc: 'code-t1', occurredAt: at },
  source: 'legacy',
});
export const events = [bought, unanswered, signedUp, recovered, charged];

const rule: CampaignRule = {
  ...{ ruleId: 'purchase', trigger: 'purchase-created', recipient: 'referrer' },
  effect: { kind: 'fixed', credits: '2.50' },
};

/** A reward for each purchase. */
export function someRewards() {
  return [bought, unanswered, charged].map(rewardOf);
}

/** What a system leaves that kept all of its promises, short enough to be read. */
export function goodEvidence(): Evidence {
  const rewards = someRewards();
  const facts = [...events.map((event) => factRow(event))];
  const entitlements = rewards.map(entitlementRow);
  const postings = rewards.flatMap(postingRows);
  const catalog = tenants.flatMap((tenantId) => [
    tenantOf({ tenantId }),
    revisionOf({ tenantId, campaignId: 'c1', rules: [rule] }),
  ]);
  const codes = tenants.map((tenantId) =>
    codeOf({ tenantId, ucc: `code-${tenantId}`, campaignId: 'c1', productUserId: owner(tenantId) }),
  );
  const topics: Evidence['topics'] = {
    // A copy of a record, as a process leaves it that died before its answer.
    [topicTable.events.name]: logOf([bought, unanswered, signedUp, bought, recovered, charged]),
    [topicTable.people.name]: logOf([
      { tenantId: 't1', userId: 'mx.t1.u1', email: `${canary}@x.example` },
      personOf(canary),
    ]),
    [topicTable.codes.name]: logOf([...codes, ...codesOfUsers()]),
    [topicTable.catalog.name]: logOf(catalog),
    [topicTable.attributions.name]: logOf(events.map(decisionOf)),
    [topicTable.rewards.name]: logOf(rewards),
    [topicTable.issuances.name]: logOf(rewards.map(issuanceOf)),
    [topicOfStripe]: logOf(processorRecords()),
    [topicTable.deadLetters.name]: [],
  };
  return {
    row: {
      ...{
        number: 4,
        fault: 'kill-rewards',
        seed: 1,
        fired: [{ at, what: 'pid 7 ended by SIGKILL' }],
      },
      sources: ['widget', 'stripe'],
      ...{ tenants, personalCanary: canary, secrets: [secret], loadEndedAt: at, recoveredMs: 1 },
      rebuild: { generation: 2, outcome: 'ready', beganAt: later(60), endedAt: later(70) },
    },
    requests: [...sentRequests(), ...sourceRequests(canary)],
    explanations: explanationsOf(rewards, () => false),
    webhooks: rewards.map(webhookOf),
    positions: [
      ...[1, 2].map((next) => ({
        ...{ at: later(next), schema: 'attribution_g1', topic: topicTable.events.name },
        ...{ partition: 0, epoch: 1, next },
      })),
      codesReadByWidget(),
    ],
    poison: [],
    stripeFacts: stripeFacts(),
    topics,
    ends: { [`${topicTable.events.name}/0`]: 6 },
    tables: {
      'attribution_g1.fact': facts,
      'attribution_g2.fact': facts.map((row) => ({ ...row })),
      'portal_read_r2.event': events.map(({ eventId, tenantId }) => ({
        event_id: eventId,
        tenant_id: tenantId,
      })),
      'rewards_g1.entitlement': entitlements,
      'rewards_g2.entitlement': entitlements.map((row) => ({ ...row })),
      'rewards_g1.ledger_posting': postings,
      'attribution_g1.projection_position': [
        { topic: topicTable.events.name, partition: '0', next_offset: '6' },
      ],
      'attribution_g1.outbox': [],
      'dispatch.delivery': rewards.map((reward) => ({
        webhook_event_id: issuanceOf(reward).webhookEventId,
        tenant_id: reward.tenantId,
        state: 'delivered',
      })),
    },
    earlierTables: { 'rewards_g1.ledger_posting': postings.slice(0, 1).map((row) => ({ ...row })) },
    logs: { 'rewards.log': '{"level":"info","message":"ready"}\n' },
  };
}

function later(seconds: number): string {
  return new Date(Date.parse(at) + seconds * 1_000).toISOString();
}

/** As Postgres writes it. */
export function postedAt(seconds: number): string {
  return later(seconds).replace('T', ' ').replace('.000Z', '+00');
}

function owner(tenantId: string): string {
  return `mx.${tenantId}.r1`;
}

function uuid(kind: number, n: string): string {
  return `${kind}0000000-0000-5000-8000-${n.slice(-12)}`;
}

function logOf(values: readonly object[]): LogRecord[] {
  return values.map((value, offset) => ({
    ...{ partition: 0, offset, key: 'key', value: JSON.stringify(value) },
  }));
}

function decisionOf({ eventId, tenantId }: EventRecord) {
  return {
    ...{ decisionId: `decision-${eventId}`, version: 1, tenantId, eventId, outcome: 'attributed' },
    ...{ campaignId: 'c1', campaignRevision: 1, referrerId: owner(tenantId), reversals: [] },
  };
}

function factRow({ eventId, tenantId }: EventRecord): TableRow {
  return {
    ...{ event_id: eventId, tenant_id: tenantId, outcome: 'attributed', campaign_id: 'c1' },
    digest: `\\x${eventId.slice(-4)}`,
  };
}

type Reward = ReturnType<typeof rewardOf>;

function rewardOf(event: EventRecord) {
  const { eventId, tenantId } = event;
  const invoiceId = event.eventType === 'purchase-created' ? event.purchase.invoiceId : '';
  return {
    ...{ rewardId: uuid(1, eventId), version: 1, tenantId, recipientId: owner(tenantId) },
    ...{ campaignId: 'c1', ruleId: 'purchase', recipientRole: 'referrer', eventId },
    businessKey: JSON.stringify(['purchase', tenantId, invoiceId]),
    ...{ state: 'issued', entitledCredits: '2.5' },
  };
}

function entitlementRow(reward: Reward): TableRow {
  return {
    ...{ reward_id: reward.rewardId, tenant_id: reward.tenantId, rule_id: reward.ruleId },
    ...{ recipient_id: reward.recipientId, campaign_id: 'c1', event_id: reward.eventId },
    ...{ recipient_role: 'referrer', business_key: reward.businessKey },
    ...{ entitled: '2.50', issued: '2.50', state: 'issued' },
  };
}

function postingRows({ rewardId, tenantId, recipientId, eventId }: Reward): TableRow[] {
  const common = {
    ...{ tenant_id: tenantId, recipient_id: recipientId, reward_id: rewardId },
    ...{ posted_at: postedAt(3), left_entitled: null, left_owed: null },
  };
  return [
    { ...common, posting_id: uuid(2, eventId), entitled: '-2.50', owed: '2.50', issued: null },
    { ...common, posting_id: uuid(3, eventId), entitled: null, owed: '-2.50', issued: '2.50' },
  ];
}

function issuanceOf({ rewardId, tenantId, recipientId, eventId }: Reward) {
  return {
    ...{ type: 'issued', issuanceId: uuid(3, eventId), rewardId, tenantId, recipientId },
    ...{ credits: '2.5', issuedAt: later(4), webhookEventId: uuid(4, eventId) },
  };
}

function webhookOf(reward: Reward): Webhook {
  const { rewardId, tenantId, recipientId } = reward;
  const amount = `"reward":{"amount":2.5}`;
  return {
    ...{ at: later(5), tenantId, authorized: true, status: 200 },
    body:
      `{"eventType":"new-reward","eventId":"${issuanceOf(reward).webhookEventId}",` +
      `"data":{"rewardId":"${rewardId}","productUserId":"${recipientId}",${amount}}}`,
  };
}

/**
 * What operators are answered about these rewards, their recipients and events. Of what is issued
 * without a reward nothing else is there.
 */
export function explanationsOf(rewards: readonly Reward[], isGone: (reward: Reward) => boolean) {
  const storyOf = (reward: Reward) => ({
    reward: shown(reward),
    ...{ open: [], recipientOwes: '0', issuances: [issuanceStoryOf(reward)] },
  });
  return rewards.flatMap((reward): SentRequest[] => {
    const { rewardId, tenantId, recipientId, eventId } = reward;
    const ask = (path: string, answer: object): SentRequest => ({
      ...{ sentAt: at, endedAt: later(1), by: 'operator', tenantId, method: 'GET' },
      ...{ path: `/api/tenants/${tenantId}/${path}`, outcome: 'ok', status: 200 },
      answer: JSON.stringify(answer),
    });
    const own = rewards.filter((one) => one.recipientId === recipientId);
    const [gone, kept] = [own.filter(isGone), own.filter((one) => !isGone(one))];
    const [entitled, issued] = [kept, own].map(({ length }) => String(2.5 * length));
    const owed = gone.length === 0 ? '0' : String(-2.5 * gone.length);
    const none = { held: '0', review: '0', withheld: '0', reversed: '0' };
    const account = { balance: { entitled, issued, owed, ...none }, rewards: kept.map(shown) };
    const without = gone.length > 0 && {
      issuedWithoutReward: {
        ...{ credits: String(2.5 * gone.length), count: gone.length },
        issuances: gone.map(issuanceStoryOf),
      },
    };
    const text =
      `Balance: entitled ${entitled}, issued ${issued}, owed ${owed} (held 0).\n` +
      `Issued ${2.5 * gone.length} credits to somebody for rewards that no longer exist: why.\n` +
      `Reward ${rewardId}: 2.5 credits\n  Ledger: entitled 2.5, issued 2.5, nothing is open.`;
    const explain = (kind: string, id: string, more: object) =>
      ask(`explain?${kind}=${id}`, { subject: { kind, id }, stories: [], text, ...more });
    const user = explain('user', recipientId, { account, ...without });
    if (isGone(reward)) return [user, explain('reward', rewardId, { ...without })];
    const event = events.find((one) => one.eventId === eventId)!;
    const fact = { eventId, fact: { eventId }, decision: decisionOf(event) };
    const stories = [{ ...fact, rewards: [storyOf(reward)] }];
    const list = ask(`rewards?reward=${rewardId}`, { rewards: [shown(reward)] });
    return [
      list,
      user,
      explain('reward', rewardId, { stories }),
      explain('event', eventId, { stories }),
    ];
  });
}

function shown({ rewardId, recipientId, eventId, state, entitledCredits }: Reward) {
  return {
    ...{ rewardId, recipientId, eventId, state, entitledCredits, issuedCredits: entitledCredits },
    ...{ calculation: [{ step: 'fixed', credits: entitledCredits }], open: [] },
  };
}

function issuanceStoryOf(reward: Reward) {
  const deliveries = [{ type: 'attempted', outcome: 'delivered' }];
  return { issuance: issuanceOf(reward), deliveries };
}

function sentRequests(): SentRequest[] {
  const times = { sentAt: at, endedAt: later(1) };
  const asked = { by: 'customer', method: 'POST', ...times } as const;
  const v2 = { ...asked, path: '/v2/events/purchase-created' };
  const bodyOf = (userId: string, invoiceId: string, amount: number) =>
    JSON.stringify({ newUser: { id: userId }, invoiceId, amount });
  const accepted: SentRequest = {
    ...{ ...v2, tenantId: 't1', key, body: bodyOf('mx.t1.u1', 'mx.t1.i1', 4_900) },
    ...{ outcome: 'ok', status: 202 },
    answer: JSON.stringify({ eventId: bought.eventId, receivedAt: bought.receivedAt }),
  };
  const legacy = {
    payload: { ucc: 'code-t1', newUserId: 'mx.t1.u2', price: 0, currency: '' },
    context: { event: { trigger: 'new-signup' } },
  };
  return [
    accepted,
    { ...accepted },
    {
      ...{ ...v2, tenantId: 't2', body: bodyOf('mx.t2.u1', 'mx.t2.i1', 100) },
      ...{ outcome: 'unknown', failure: 'ECONNRESET' },
    },
    {
      ...{ ...v2, tenantId: 't1', body: bodyOf('mx.t1.u9', 'mx.t1.i9', 49.5) },
      ...{ outcome: 'failed', status: 422, answer: '{"code":"VALIDATION_ERROR"}' },
    },
    {
      ...{ ...asked, path: '/events', tenantId: 't1', body: JSON.stringify(legacy) },
      ...{ outcome: 'ok', status: 200, answer: '{"success":true}' },
    },
    {
      ...{ ...times, by: 'probe', method: 'GET', tenantId: 't2', outcome: 'failed', status: 404 },
      ...{ path: `/api/events/${bought.eventId}`, answer: '{"code":"NOT_FOUND"}' },
    },
  ];
}

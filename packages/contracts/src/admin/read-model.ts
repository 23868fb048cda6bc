import { Type } from '@sinclair/typebox';
import { DecisionRecord, NotAttributedReason } from '../decision-record.ts';
import { EventSource, EventType } from '../event-record.ts';
import { IssuanceRecord } from '../issuance-record.ts';
import { RewardRecord } from '../reward-record.ts';
import { adminRoute } from './admin-route.ts';
import { asOf, nullable, oneOfTexts, text, utc } from './answer-fields.ts';
import { cursorOf } from './cursor.ts';
import {
  CampaignBalance,
  EventSummary,
  EventWithDecision,
  Explanation,
  RecipientBalance,
  TimelineEntry,
} from './event-answers.ts';
import { format, limit, order, page } from './paging.ts';
import { idText, oneOf, time } from './query-parameters.ts';
import { OpenPart, ShownReward, ShownState } from './reward-answers.ts';
import { csvForm } from './csv-form.ts';

const period = { from: time(), to: time() };
const paged = { ...period, order, ...page, format };

/** What a list of events can be narrowed by, and what is counted can be, too. */
export const eventFilter = {
  type: oneOf(...textsOf(EventType)),
  source: oneOf(...textsOf(EventSource)),
  outcome: oneOf(...textsOf(DecisionRecord.properties.outcome), 'pending'),
  reason: oneOf(...textsOf(NotAttributedReason)),
  user: idText(),
  referrer: idText(),
  campaign: idText(),
  code: idText(),
  invoice: idText(),
  ...period,
};

export const rewardFilter = {
  state: oneOf(...textsOf(ShownState)),
  recipient: idText(),
  role: oneOf(...textsOf(RewardRecord.properties.recipientRole)),
  campaign: idText(),
  rule: idText(),
  user: idText(),
  event: idText(),
  ...period,
};

export const issuanceFilter = {
  recipient: idText(),
  campaign: idText(),
  reward: idText(),
  ...period,
};

const { schemaVersion: _s, tenantId: _t, ...shownReward } = ShownReward.properties;
const { schemaVersion: _v, type: _y, tenantId: _i, ...shownIssuance } = IssuanceRecord.properties;

/**
 * What one model of all topics knows: events, rewards, balances, and why each number is what it is.
 */
export const readModelRoutes = {
  listEvents: adminRoute({
    method: 'GET',
    path: '/api/tenants/{tenantId}/events',
    right: 'read',
    summary: 'Lists events and the decisions on them, by receivedAt.',
    query: { ...eventFilter, ...paged },
    csv: csvForm(
      'events',
      `eventId eventType source occurredAt receivedAt newUserId ucc
        purchase.invoiceId purchase.currency purchase.amount refund.invoiceId
        refund.currency refund.amount outcome reason campaignId campaignRevision
        referrerId duplicateOf refundOf flags`,
      'purchase.amount refund.amount campaignRevision',
    ),
    answers: {
      200: Type.Object({ events: Type.Array(EventSummary), nextCursor: nullable(text), asOf }),
    },
  }),
  listRewards: adminRoute({
    method: 'GET',
    path: '/api/tenants/{tenantId}/rewards',
    right: 'read',
    summary: 'Lists rewards, by the time of their first record (recordedAt).',
    query: { ...rewardFilter, ...paged },
    csv: csvForm(
      'rewards',
      `rewardId recordedAt state recipientRole recipientId newUserId campaignId
        campaignRevision ruleId eventId occurredAt entitledCredits issuedCredits
        maturesAt reviewReasons open`,
      'campaignRevision entitledCredits issuedCredits',
    ),
    answers: {
      200: Type.Object({
        rewards: Type.Array(
          Type.Object({ ...shownReward, open: Type.Array(OpenPart), recordedAt: utc }),
        ),
        nextCursor: nullable(text),
        asOf,
      }),
    },
  }),
  listIssuances: adminRoute({
    method: 'GET',
    path: '/api/tenants/{tenantId}/issuances',
    right: 'read',
    summary: 'Lists issuances, by issuedAt.',
    query: { ...issuanceFilter, ...paged },
    csv: csvForm(
      'issuances',
      `issuanceId issuedAt recipientId credits rewardType campaignId rewardId
        webhookEventId`,
      'credits',
    ),
    answers: {
      200: Type.Object({
        issuances: Type.Array(Type.Object(shownIssuance)),
        nextCursor: nullable(text),
        asOf,
      }),
    },
  }),
  readTimeline: adminRoute({
    method: 'GET',
    path: '/api/tenants/{tenantId}/timeline',
    right: 'read',
    summary: 'Lists what happened to one user, event or reward (give one of the three).',
    query: { user: idText(), event: idText(), reward: idText(), limit, cursor: cursorOf(3) },
    answers: {
      200: Type.Object({ entries: Type.Array(TimelineEntry), nextCursor: nullable(text), asOf }),
    },
  }),
  search: adminRoute({
    method: 'GET',
    path: '/api/tenants/{tenantId}/search',
    right: 'read',
    summary:
      'Finds everything with the exact id in q: event, reward, issuance, webhook event, invoice, user or code.',
    query: { q: idText() },
    answers: {
      200: Type.Object({
        matches: Type.Array(
          Type.Object({
            kind: oneOfTexts(
              ...(['event', 'reward', 'issuance', 'webhook', 'invoice', 'user', 'code'] as const),
            ),
            id: text,
          }),
        ),
        asOf,
      }),
    },
  }),
  explain: adminRoute({
    method: 'GET',
    path: '/api/tenants/{tenantId}/explain',
    right: 'read',
    audited: true,
    summary:
      'Explains one event, invoice, user or reward, from facts to deliveries; with asOf, as it was known at that time.',
    query: { event: idText(), reward: idText(), invoice: idText(), user: idText(), asOf: time() },
    answers: { 200: Explanation },
  }),
  explainAnywhere: adminRoute({
    method: 'GET',
    path: '/api/explain',
    right: 'read',
    audited: true,
    summary: 'Explains one event or reward, whose tenant is found by the id.',
    query: { event: idText(), reward: idText(), asOf: time() },
    mayBeMissing: true,
    answers: { 200: Explanation },
  }),
  showRecipientBalance: adminRoute({
    method: 'GET',
    path: '/api/tenants/{tenantId}/recipients/{recipientId}/balance',
    right: 'read',
    summary: 'Shows a recipient’s balance, in total and by campaign.',
    query: {},
    answers: { 200: RecipientBalance },
  }),
  showCampaignBalance: adminRoute({
    method: 'GET',
    path: '/api/tenants/{tenantId}/campaigns/{campaignId}/balance',
    right: 'read',
    summary: 'Shows what a campaign costs over all recipients.',
    query: {},
    answers: { 200: CampaignBalance },
  }),
  /** Also with the access token of the tenant. */
  showEvent: adminRoute({
    method: 'GET',
    path: '/api/events/{eventId}',
    right: 'read',
    summary: 'Shows an event and the [decision on it](#the-decision-on-an-event).',
    answers: { 200: EventWithDecision },
  }),
};

function textsOf<T extends string>(union: { anyOf: readonly { const: T }[] }): T[] {
  return union.anyOf.map((literal) => literal.const);
}

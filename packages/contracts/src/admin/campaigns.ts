import { Type } from '@sinclair/typebox';
import { closedObject } from '../closed-object.ts';
import { DecisionRecord } from '../decision-record.ts';
import type { EventRecord } from '../event-record.ts';
import { RewardRecord } from '../reward-record.ts';
import { type V2EventType, v2Events } from '../public/v2-events.ts';
import { Violation } from '../violation.ts';
import { adminRoute, serviceRoute } from './admin-route.ts';
import { count, extended, list, nullable, Remark, text, utc } from './answer-fields.ts';
import { StoredRevision } from './campaign-answers.ts';
import { CampaignBody } from './campaign-body.ts';
import { idText } from './query-parameters.ts';
import { Decision } from './record-answers.ts';
import { ShownReward } from './reward-answers.ts';

const eventTypes = Object.keys(v2Events) as V2EventType[];
const Explanation = Type.Object({
  campaign: Type.Array(text),
  rules: Type.Array(Type.Object({ ruleId: text, sentences: Type.Array(text) })),
});

/** Campaigns, their revisions, and what they would do. */
export const campaignRoutes = {
  checkCampaign: adminRoute({
    method: 'POST',
    // No tenant, since the same file may go to several; or one place, to say whether its start
    // would be refused there.
    path: '/api/campaign-check',
    right: 'read',
    summary:
      'Lists every mistake in a campaign, or explains what a valid one does. With a tenant and campaign id, also checks whether it could be stored there.',
    query: { tenantId: idText(), campaignId: idText() },
    body: CampaignBody,
    storesNothing: true,
    answers: {
      200: Type.Object({
        valid: Type.Boolean(),
        mistakes: Type.Array(Violation),
        warnings: Type.Optional(Type.Array(Remark)),
        explanation: Type.Optional(Explanation),
      }),
    },
  }),
  listCampaigns: adminRoute({
    method: 'GET',
    path: '/api/tenants/{tenantId}/campaigns',
    right: 'read',
    summary: 'Lists the newest revision of each campaign.',
    answers: { 200: list('campaigns', StoredRevision) },
  }),
  showCampaign: adminRoute({
    method: 'GET',
    path: '/api/tenants/{tenantId}/campaigns/{campaignId}',
    right: 'read',
    summary: 'Shows every revision of a campaign, and which one is in force.',
    answers: {
      200: Type.Object({
        campaignId: text,
        revisionInForce: nullable(Type.Integer()),
        revisions: Type.Array(StoredRevision),
      }),
    },
  }),
  putCampaign: adminRoute({
    method: 'PUT',
    path: '/api/tenants/{tenantId}/campaigns/{campaignId}',
    right: 'develop',
    summary: 'Stores a campaign as its next revision: see [Campaigns and rules](campaigns.md).',
    body: CampaignBody,
    publishes: true,
    answers: {
      200: Type.Object({
        campaignId: text,
        revision: Type.Integer(),
        effectiveFrom: utc,
        warnings: Type.Array(Remark),
      }),
    },
  }),
  showRevision: adminRoute({
    method: 'GET',
    path: '/api/tenants/{tenantId}/campaigns/{campaignId}/revisions/{revision}',
    right: 'read',
    summary: 'Shows one revision and what it does.',
    answers: {
      200: extended(StoredRevision, { explanation: Explanation, warnings: Type.Array(Remark) }),
    },
  }),
  tryEvent: adminRoute({
    method: 'POST',
    path: '/api/tenants/{tenantId}/campaigns/{campaignId}/try',
    right: 'read',
    summary: 'Shows what an event would lead to if it arrived now; writes nothing.',
    body: closedObject({
      /** The last segment of the path that the event would be sent to. */
      eventType: Type.Optional(Type.Union(eventTypes.map((eventType) => Type.Literal(eventType)))),
      /** Its body, by the v2 contract. */
      event: Type.Object({}, { additionalProperties: true }),
    }),
    storesNothing: true,
    answers: {
      200: Type.Object({
        tenantId: text,
        eventType: text,
        receivedAt: utc,
        campaignId: text,
        explanation: Type.Array(text),
        decision: Decision,
        changedDecisions: Type.Array(changeOf(Decision)),
        rewards: Type.Array(changeOf(ShownReward)),
        failed: count,
        waiting: count,
        complete: Type.Boolean(),
      }),
    },
  }),
};

function changeOf<S extends typeof Decision | typeof ShownReward>(record: S) {
  return Type.Object({ before: Type.Optional(record), after: record });
}

/**
 * A dry run: attribution decides and rewards folds, each in a transaction that it takes back.
 * Records are read by their codecs there, which know those of older releases too.
 */
export const dryRunRoutes = {
  tryAttribution: serviceRoute({
    service: 'attribution',
    method: 'POST',
    path: '/try',
    body: Type.Object({ event: Type.Unsafe<EventRecord>(Type.Unknown()) }),
    answer: Type.Object({
      decisions: Type.Array(DecisionRecord),
      before: Type.Array(DecisionRecord),
      complete: Type.Boolean(),
    }),
  }),
  tryRewards: serviceRoute({
    service: 'rewards',
    method: 'POST',
    path: '/try',
    body: Type.Object({ decisions: Type.Array(Type.Unsafe<DecisionRecord>(Type.Unknown())) }),
    answer: Type.Object({
      rewards: Type.Array(RewardRecord),
      before: Type.Array(RewardRecord),
      failed: count,
      waiting: count,
    }),
  }),
};

import { Type } from '@sinclair/typebox';
import { closedObject } from '../closed-object.ts';
import { forwardedRoute } from './admin-route.ts';
import { oneOfTexts, text, utc } from './answer-fields.ts';
import { instant } from './instant.ts';
import { OperatorNote } from './operator-note.ts';
import { anyText, identifier } from './text-fields.ts';

/** The same for every repeat: what was recorded first, not what came of it. */
const RewardAction = Type.Object({
  rewardId: text,
  action: oneOfTexts('released', 'withheld'),
  recipientId: text,
  campaignId: text,
  by: text,
  note: Type.Optional(text),
  at: utc,
});

const BulkRelease = closedObject({
  ...OperatorNote.properties,
  /** What is in review and nothing else: a hold is what the campaign says itself. */
  filter: closedObject({
    state: Type.Literal('review'),
    campaignId: Type.Optional(identifier()),
    recipientId: Type.Optional(anyText(255)),
    ruleId: Type.Optional(identifier()),
    /** Only rewards of events received before this. */
    before: Type.Optional(instant()),
  }),
});
const Released = Type.Object({ released: Type.Integer(), more: Type.Boolean() });

/** Operator actions on rewards. rewards decides on each. */
export const rewardActionRoutes = {
  releaseReward: forwardedRoute('rewards', {
    method: 'POST',
    path: '/api/tenants/{tenantId}/rewards/{rewardId}/release',
    right: 'review',
    summary: 'Lets a reward be issued, whatever its hold or review says.',
    body: OperatorNote,
    answers: { 200: RewardAction },
    conflict: 'there is nothing to release',
  }),
  withholdReward: forwardedRoute('rewards', {
    method: 'POST',
    path: '/api/tenants/{tenantId}/rewards/{rewardId}/withhold',
    right: 'review',
    summary: 'Keeps a reward from being issued, until it is released.',
    body: OperatorNote,
    answers: { 200: RewardAction },
    conflict: 'there is nothing to withhold',
  }),
  releaseReviewedRewards: forwardedRoute('rewards', {
    method: 'POST',
    path: '/api/tenants/{tenantId}/rewards/release',
    right: 'review',
    confirmed: true,
    secondPerson: true,
    summary: 'Releases what is in review, at most 500 at a time.',
    body: BulkRelease,
    answers: { 200: Released },
  }),
};

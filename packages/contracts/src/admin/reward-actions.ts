import { Type } from '@sinclair/typebox';
import { closedObject } from '../closed-object.ts';
import { adminRoute, forwardedRoute, serviceRoute } from './admin-route.ts';
import { countLimit, decimal, oneOfTexts, text, utc } from './answer-fields.ts';
import { instant } from './instant.ts';
import { OperatorNote } from './operator-note.ts';
import { idText, oneOf, time } from './query-parameters.ts';
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

const chosen = {
  campaignId: Type.Optional(identifier()),
  recipientId: Type.Optional(anyText(255)),
  ruleId: Type.Optional(identifier()),
  /** Only rewards of events received before this. */
  before: Type.Optional(instant()),
};
/** A hold is not released in bulk: it is what the campaign says itself. */
const ToRelease = closedObject({ state: oneOfTexts('review', 'withheld'), ...chosen });
const ToWithhold = closedObject({ state: oneOfTexts('held', 'review'), ...chosen });

/**
 * What was counted before, as it was answered. Nothing is done when more matches by now, in number
 * or in credits, of what was received before; what does not match any more is left alone.
 */
const Seen = closedObject({
  count: Type.Integer({ minimum: 0, maximum: countLimit }),
  credits: Type.RegExp(/^[0-9]{1,40}(\.[0-9]{1,40})?$/, { expected: 'a decimal number' }),
  asOf: instant(),
});

const BulkRelease = closedObject({
  ...OperatorNote.properties,
  filter: ToRelease,
  seen: Type.Optional(Seen),
});
const BulkWithhold = closedObject({ ...OperatorNote.properties, filter: ToWithhold, seen: Seen });
const Released = Type.Object({ released: Type.Integer(), more: Type.Boolean() });
const Withheld = Type.Object({ withheld: Type.Integer(), more: Type.Boolean() });

/** What a bulk action would act on; with `more` there is more than can be acted on at once. */
const Countable = Type.Object({
  count: Type.Integer({ minimum: 0, maximum: countLimit }),
  credits: decimal,
  more: Type.Boolean(),
  asOf: utc,
});
const chosenByQuery = { campaign: idText(), recipient: idText(), rule: idText(), before: time() };

function countedBy<const P extends `/${string}`, S extends typeof ToRelease | typeof ToWithhold>(
  path: P,
  filter: S,
) {
  const body = closedObject({ filter });
  return serviceRoute({ service: 'rewards', method: 'POST', path, body, answer: Countable });
}

/** Operator actions on rewards. rewards decides on each. */
export const rewardActionRoutes = {
  releaseReward: forwardedRoute('rewards', {
    method: 'POST',
    path: '/api/tenants/{tenantId}/rewards/{rewardId}/release',
    right: 'review',
    summary: 'Releases a reward, regardless of its hold or review.',
    body: OperatorNote,
    answers: { 200: RewardAction },
    conflict: 'there is nothing to release',
  }),
  withholdReward: forwardedRoute('rewards', {
    method: 'POST',
    path: '/api/tenants/{tenantId}/rewards/{rewardId}/withhold',
    right: 'review',
    summary: 'Withholds a reward until it is released.',
    body: OperatorNote,
    answers: { 200: RewardAction },
    conflict: 'there is nothing to withhold',
  }),
  countToRelease: adminRoute({
    method: 'GET',
    path: '/api/tenants/{tenantId}/rewards/release',
    right: 'review',
    summary: 'Counts what a release by filter would release, with its credits.',
    query: { state: oneOf('review', 'withheld'), ...chosenByQuery },
    answers: { 200: Countable },
    asks: countedBy('/tenants/{tenantId}/rewards/release/count', ToRelease),
  }),
  countToWithhold: adminRoute({
    method: 'GET',
    path: '/api/tenants/{tenantId}/rewards/withhold',
    right: 'review',
    summary: 'Counts what withholding by filter would withhold, with its credits.',
    query: { state: oneOf('held', 'review'), ...chosenByQuery },
    answers: { 200: Countable },
    asks: countedBy('/tenants/{tenantId}/rewards/withhold/count', ToWithhold),
  }),
  releaseReviewedRewards: forwardedRoute('rewards', {
    method: 'POST',
    path: '/api/tenants/{tenantId}/rewards/release',
    right: 'review',
    confirmed: true,
    secondPerson: true,
    summary:
      'Releases rewards that are in review or withheld: with `seen`, all that were counted; without it, at most 500 at a time. If `more` is true, repeat the request for the rest.',
    body: BulkRelease,
    answers: { 200: Released },
    conflict: 'more items match than were counted',
  }),
  withholdRewards: forwardedRoute('rewards', {
    method: 'POST',
    path: '/api/tenants/{tenantId}/rewards/withhold',
    right: 'review',
    confirmed: true,
    secondPerson: true,
    summary:
      'Withholds the counted rewards that are held or in review. If `more` is true, repeat the request for the rest.',
    body: BulkWithhold,
    answers: { 200: Withheld },
    conflict: 'more items match than were counted',
  }),
};

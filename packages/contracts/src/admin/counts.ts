import { type Static, Type } from '@sinclair/typebox';
import { adminRoute } from './admin-route.ts';
import { asOf, count, countsBy, decimal, oneOfTexts } from './answer-fields.ts';
import { idText, oneOf, time } from './query-parameters.ts';
import { eventFilter, issuanceFilter, rewardFilter } from './read-model.ts';

const seriesOf = ['events', 'rewards', 'credits', 'deliveries'] as const;

/** The parts of an event's count: every one of them has its own sum over all groups. */
export const EventCounts = countsBy('outcome', 'reason', 'type', 'source', 'campaign');
export type EventCounts = Static<typeof EventCounts>;
/** `credits` are those kept back of a reward in such a state, else all that it entitles to. */
export const RewardCounts = countsBy('state', 'campaign', 'rule', 'role');
export type RewardCounts = Static<typeof RewardCounts>;
export const IssuanceCounts = countsBy('campaign');
export type IssuanceCounts = Static<typeof IssuanceCounts>;

export const Series = Type.Object({
  of: oneOfTexts(...seriesOf),
  days: Type.Array(
    Type.Object({
      day: Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' }),
      count,
      credits: Type.Optional(decimal),
      parts: Type.Record(Type.String(), count),
    }),
  ),
  asOf,
});
export type Series = Static<typeof Series>;

/** How many there are of what the lists show. */
export const countRoutes = {
  countEvents: adminRoute({
    method: 'GET',
    path: '/api/tenants/{tenantId}/events/counts',
    right: 'read',
    summary:
      'Counts the events that the list would show, by outcome, reason, type, source and campaign.',
    query: eventFilter,
    answers: { 200: EventCounts },
  }),
  countRewards: adminRoute({
    method: 'GET',
    path: '/api/tenants/{tenantId}/rewards/counts',
    right: 'read',
    summary:
      'Counts the rewards that the list would show, with their credits, by state, campaign, rule and role.',
    query: rewardFilter,
    answers: { 200: RewardCounts },
  }),
  countIssuances: adminRoute({
    method: 'GET',
    path: '/api/tenants/{tenantId}/issuances/counts',
    right: 'read',
    summary: 'Counts what was issued, with its credits, by campaign.',
    query: issuanceFilter,
    answers: { 200: IssuanceCounts },
  }),
  readSeries: adminRoute({
    method: 'GET',
    path: '/api/tenants/{tenantId}/series',
    right: 'read',
    summary:
      'Counts per UTC day of a period of at most 1,000 days: events by outcome, rewards by state, issued credits, or delivery attempts by outcome.',
    query: {
      of: oneOf(...seriesOf),
      from: time(),
      to: time(),
      campaign: idText(),
    },
    answers: { 200: Series },
  }),
};

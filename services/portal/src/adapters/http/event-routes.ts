import { EventType, EventSource } from '@tributary/contracts/event-record';
import { DecisionRecord, NotAttributedReason } from '@tributary/contracts/decision-record';
import type { ReadModel } from '@tributary/generations/start-read-model';
import type { Deployment } from '../../commands/deployment.ts';
import { type EventRow, listEvents } from '../../read-model/queries/list-events.ts';
import { search } from '../../read-model/queries/search.ts';
import { readTimeline, type TimelineOf } from '../../read-model/queries/timeline.ts';
import { cursorOf, encodeCursor } from './cursor.ts';
import { existingTenant } from './existing-tenant.ts';
import {
  asOf,
  limitOf,
  limitParameter,
  nextCursor,
  pageOf,
  pageParameters,
} from './paged-answer.ts';
import { idText, oneOf, readQuery, time } from './query.ts';
import { Refusal } from './refusal.ts';
import type { Route } from './route.ts';

const eventParameters = {
  type: oneOf(...literalsOf(EventType)),
  source: oneOf(...literalsOf(EventSource)),
  outcome: oneOf(...literalsOf(DecisionRecord.properties.outcome), 'pending'),
  reason: oneOf(...literalsOf(NotAttributedReason)),
  user: idText(),
  referrer: idText(),
  campaign: idText(),
  code: idText(),
  invoice: idText(),
  from: time(),
  to: time(),
  ...pageParameters,
};

const timelineParameters = {
  user: idText(),
  event: idText(),
  reward: idText(),
  limit: limitParameter,
  cursor: cursorOf(3),
};

/** Events of a tenant with their decisions: listed, searched, and as the timeline of something. */
export function eventRoutes(deployment: Deployment, readModel: ReadModel): Route[] {
  return [
    {
      path: '/api/tenants/:tenantId/events',
      methods: {
        GET: async (request) => {
          const query = readQuery(request.search, eventParameters);
          const tenantId = await existingTenant(deployment, request);
          const { items, next } = await listEvents(readModel.pool, tenantId, query, pageOf(query));
          const body = { events: items.map(toSummary), nextCursor: nextCursor(next) };
          return { status: 200, body: { ...body, asOf: asOf(readModel) } };
        },
      },
    },
    {
      path: '/api/tenants/:tenantId/search',
      methods: {
        GET: async (request) => {
          const { q } = readQuery(request.search, { q: idText() });
          if (q === undefined) throw missing('q', 'the id of something');
          const tenantId = await existingTenant(deployment, request);
          const matches = await search(readModel.pool, tenantId, q);
          return { status: 200, body: { matches, asOf: asOf(readModel) } };
        },
      },
    },
    {
      path: '/api/tenants/:tenantId/timeline',
      methods: {
        GET: async (request) => {
          const query = readQuery(request.search, timelineParameters);
          const of = oneSubject(query);
          const tenantId = await existingTenant(deployment, request);
          const [at, kind, id] = query.cursor ?? [];
          const after =
            at === undefined || kind === undefined || id === undefined
              ? undefined
              : { at, kind, id };
          const page = { limit: limitOf(query.limit), after };
          const { items, next } = await readTimeline(readModel.pool, tenantId, of, page);
          const cursor = next === undefined ? null : encodeCursor([next.at, next.kind, next.id]);
          const body = { entries: items, nextCursor: cursor, asOf: asOf(readModel) };
          return { status: 200, body };
        },
      },
    },
  ];
}

/** What of an event a list shows. `outcome` is `pending` until attribution has decided. */
export function toSummary({ eventId, receivedAt, fact, decision }: EventRow) {
  const told = fact ?? decision;
  return {
    eventId,
    eventType: told?.eventType,
    source: told?.source,
    occurredAt: told?.occurredAt,
    receivedAt,
    newUserId: fact?.newUser.id ?? decision?.newUserId,
    ucc: told?.ucc,
    ...paymentOf(fact, decision),
    outcome: decision?.outcome ?? 'pending',
    reason: decision?.reason,
    campaignId: decision?.campaignId,
    campaignRevision: decision?.campaignRevision,
    referrerId: decision?.referrerId,
    duplicateOf: decision?.duplicateOf,
    refundOf: decision?.refundOf,
    flags: decision?.flags ?? [],
  };
}

function paymentOf(fact: EventRow['fact'], decision: EventRow['decision']) {
  const purchase = fact?.eventType === 'purchase-created' ? fact.purchase : decision?.purchase;
  const refund = fact?.eventType === 'purchase-refunded' ? fact.refund : decision?.refund;
  return { purchase, refund };
}

function oneSubject(query: {
  user: string | undefined;
  event: string | undefined;
  reward: string | undefined;
}): TimelineOf {
  const { user, event, reward } = query;
  const given = [user, event, reward].filter((id) => id !== undefined);
  if (given.length !== 1) throw missing('user', 'given, or event, or reward, one of the three');
  if (user !== undefined) return { user };
  return event !== undefined ? { event } : { reward: reward ?? '' };
}

function missing(name: string, expected: string): Refusal {
  const violation = {
    pointer: `/${name}`,
    code: 'REQUIRED',
    detail: `must be ${expected}`,
  } as const;
  return new Refusal('VALIDATION_ERROR', { errors: [violation] });
}

function literalsOf<T extends string>(union: { anyOf: readonly { const: T }[] }): T[] {
  return union.anyOf.map((literal) => literal.const);
}

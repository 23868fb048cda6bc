import type { Writable } from '@tributary/contracts/admin/admin-route';
import { encodeCursor } from '@tributary/contracts/admin/cursor';
import type { EventSummary } from '@tributary/contracts/admin/event-answers';
import { readModelRoutes as declared } from '@tributary/contracts/admin/read-model';
import type { ReadModel } from '@tributary/generations/start-read-model';
import type { Deployment } from '../catalog/commands/deployment.ts';
import { type EventRow, listEvents } from '../console/db/queries/list-events.ts';
import { search } from '../console/db/queries/search.ts';
import { readTimeline, type TimelineOf } from '../console/db/queries/timeline.ts';
import { existingTenant } from './existing-tenant.ts';
import { asOf, limitOf, nextCursor, pageOf } from './paged-answer.ts';
import { Refusal } from './refusal.ts';
import { serve, type ServedRoute } from './route.ts';

/** Events of a tenant with their decisions: listed, searched, and as the timeline of something. */
export function eventRoutes(deployment: Deployment, readModel: ReadModel): ServedRoute[] {
  return [
    serve(declared.listEvents)(async (asked) => {
      const { query } = asked;
      const tenantId = await existingTenant(deployment, asked);
      const { items, next } = await listEvents(readModel.pool, tenantId, query, pageOf(query));
      const body = { events: items.map(toSummary), nextCursor: nextCursor(next) };
      return { status: 200, body: { ...body, asOf: asOf(readModel) } };
    }),
    serve(declared.search)(async (asked) => {
      const { q } = asked.query;
      if (q === undefined) throw missing('q', 'the id of something');
      const tenantId = await existingTenant(deployment, asked);
      const matches = await search(readModel.pool, tenantId, q);
      return { status: 200, body: { matches, asOf: asOf(readModel) } };
    }),
    serve(declared.readTimeline)(async (asked) => {
      const { query } = asked;
      const of = oneSubject(query);
      const tenantId = await existingTenant(deployment, asked);
      const [at, kind, id] = query.cursor ?? [];
      const after =
        at === undefined || kind === undefined || id === undefined ? undefined : { at, kind, id };
      const page = { limit: limitOf(query.limit), after };
      const { items, next } = await readTimeline(readModel.pool, tenantId, of, page);
      const cursor = next === undefined ? null : encodeCursor([next.at, next.kind, next.id]);
      const body = { entries: items, nextCursor: cursor, asOf: asOf(readModel) };
      return { status: 200, body };
    }),
  ];
}

/** What of an event a list shows. `outcome` is `pending` until attribution has decided. */
export function toSummary({
  eventId,
  receivedAt,
  fact,
  decision,
}: EventRow): Writable<EventSummary> {
  const shown = fact ?? decision;
  return {
    eventId,
    eventType: shown?.eventType,
    source: shown?.source,
    occurredAt: shown?.occurredAt,
    receivedAt,
    newUserId: fact?.newUser.id ?? decision?.newUserId,
    ucc: shown?.ucc,
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

import { campaignRoutes as declared } from '@tributary/contracts/admin/campaigns';
import { violationsDetail } from '@tributary/contracts/body-reader';
import { createViolationCollector } from '@tributary/contracts/collect-violations';
import { type V2Event, type V2EventType, v2Events } from '@tributary/contracts/public/v2-events';
import type { BodyOf } from '@tributary/contracts/admin/admin-route';
import type { Deployment } from '../catalog/commands/deployment.ts';
import { type OtherServices, tryEvent } from '../console/commands/try-event.ts';
import { noSuchCampaign } from './campaign-routes.ts';
import { Refusal } from './refusal.ts';
import { noSuchTenant, serve, type ServedRoute, tenantIdOf } from './route.ts';

/** Dry runs: what an event would lead to, and why, without any trace. */
export function tryRoutes(deployment: Deployment, services: OtherServices): ServedRoute[] {
  return [
    serve(declared.tryEvent)(async (asked) => {
      const event = eventOf(asked.body);
      const tenantId = tenantIdOf(asked);
      const { requestId } = asked;
      const { campaignId } = asked.params;
      const input = { tenantId, campaignId, event, requestId };
      const result = await tryEvent(deployment, services, input);
      switch (result.outcome) {
        case 'tried':
          return { status: 200, body: result.trial };
        case 'no-tenant':
          throw noSuchTenant();
        case 'no-campaign':
          throw noSuchCampaign();
        case 'unavailable':
          throw new Refusal('SERVICE_UNAVAILABLE', { detail: result.detail });
        default:
          return result satisfies never;
      }
    }),
  ];
}

const collectors = Object.fromEntries(
  (Object.keys(v2Events) as V2EventType[]).map(
    (type) => [type, createViolationCollector(v2Events[type].schema)] as const,
  ),
) as Record<V2EventType, ReturnType<typeof createViolationCollector>>;

/** @throws {Refusal} with every mistake at once, as /v2 would list them, under `/event`. */
function eventOf({
  eventType = 'purchase-created',
  event,
}: BodyOf<(typeof declared)['tryEvent']>): V2Event {
  const { violations, truncated } = collectors[eventType](event);
  if (violations.length === 0) return { eventType, body: event } as V2Event;
  throw new Refusal('VALIDATION_ERROR', {
    detail: violationsDetail(violations, truncated),
    errors: violations.map((v) => ({ ...v, pointer: `/event${v.pointer}` })),
  });
}

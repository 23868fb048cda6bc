import { type Static, Type } from '@sinclair/typebox';
import { createViolationCollector } from '@tributary/contracts/collect-violations';
import { violationsDetail } from '@tributary/contracts/body-reader';
import { type V2Event, type V2EventType, v2Events } from '@tributary/contracts/v2-events';
import type { Deployment } from '../../commands/deployment.ts';
import { type OtherServices, tryEvent } from '../../commands/try-event.ts';
import { createBodyReader } from './body.ts';
import { noSuchCampaign } from './campaign-routes.ts';
import { Refusal } from './refusal.ts';
import { noSuchTenant, type Route, tenantIdOf } from './route.ts';

/** Dry runs: what an event would lead to, and why, without any trace. */
export function tryRoutes(deployment: Deployment, services: OtherServices): Route[] {
  return [
    {
      path: '/api/tenants/:tenantId/campaigns/:campaignId/try',
      methods: {
        POST: async (request) => {
          const event = readTrial(await request.json());
          const tenantId = tenantIdOf(request);
          const campaignId = request.param('campaignId');
          const { requestId } = request;
          const wish = { tenantId, campaignId, event, requestId };
          const result = await tryEvent(deployment, services, wish);
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
        },
      },
    },
  ];
}

const eventTypes = Object.keys(v2Events) as V2EventType[];

const TrialBody = Type.Object(
  {
    /** The last segment of the path that the event would be sent to. */
    eventType: Type.Optional(Type.Union(eventTypes.map((eventType) => Type.Literal(eventType)))),
    /** Its body, by the v2 contract. */
    event: Type.Object({}, { additionalProperties: true }),
  },
  { additionalProperties: false },
);
const readTrialBody = createBodyReader(TrialBody);

const collectors = Object.fromEntries(
  eventTypes.map((type) => [type, createViolationCollector(v2Events[type].schema)] as const),
) as Record<V2EventType, ReturnType<typeof createViolationCollector>>;

/** @throws {Refusal} with every mistake at once, as /v2 would list them, under `/event`. */
function readTrial(json: unknown): V2Event {
  const { eventType = 'purchase-created', event }: Static<typeof TrialBody> = readTrialBody(json);
  const { violations, truncated } = collectors[eventType](event);
  if (violations.length === 0) return { eventType, body: event } as V2Event;
  throw new Refusal('VALIDATION_ERROR', {
    detail: violationsDetail(violations, truncated),
    errors: violations.map((v) => ({ ...v, pointer: `/event${v.pointer}` })),
  });
}

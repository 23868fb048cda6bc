import type { InternalClient } from '@tributary/http/internal-client';
import { changeWebhookStatus } from '../../commands/change-webhook-status.ts';
import type { Deployment } from '../../commands/deployment.ts';
import { rotateWebhook } from '../../commands/rotate-webhook.ts';
import { setWebhook } from '../../commands/set-webhook.ts';
import { readEmptyBody } from './bodies.ts';
import { existingTenant } from './existing-tenant.ts';
import { answerOf } from './internal-answer.ts';
import { Refusal } from './refusal.ts';
import { type AdminRequest, type Answer, noSuchTenant, type Route, tenantIdOf } from './route.ts';
import {
  createWebhookReader,
  readRecoverBody,
  readResumeBody,
  readRotateBody,
  readStopBody,
} from './webhook-bodies.ts';

/** Exhausted deliveries taken up again at once; a caller goes on while there are more. */
const recoverLimit = 500;

/**
 * How a tenant's endpoint is set up, which is told here, and how it fares, which the dispatcher
 * knows.
 */
export function webhookRoutes(deployment: Deployment, dispatcher: InternalClient): Route[] {
  const readWebhookBody = createWebhookReader(deployment.environment);

  async function ask(request: AdminRequest, verb: string, body: object): Promise<Answer> {
    const tenantId = await existingTenant(deployment, request);
    return answerOf(await dispatcher.post(['tenants', tenantId, 'webhook', verb], body, request));
  }

  async function change(request: AdminRequest, wish: StatusWish): Promise<Answer> {
    const result = await changeWebhookStatus(deployment, tenantIdOf(request), wish);
    if (result.outcome === 'has-status') return { status: 200, body: result.webhook };
    throw result.outcome === 'no-tenant' ? noSuchTenant() : noWebhook();
  }

  return [
    {
      path: '/api/tenants/:tenantId/webhook',
      methods: {
        GET: (request) => ask(request, 'status', {}),
        PUT: async (request) => {
          const wish = readWebhookBody(await request.json());
          const body = await setWebhook(deployment, tenantIdOf(request), wish);
          if (body === undefined) throw noSuchTenant();
          return { status: 200, body };
        },
      },
    },
    {
      path: '/api/tenants/:tenantId/webhook/test',
      methods: {
        POST: async (request) => ask(request, 'test', readEmptyBody(await request.optionalJson())),
      },
    },
    {
      path: '/api/tenants/:tenantId/webhook/recover',
      methods: {
        POST: async (request) => {
          const body = readRecoverBody(await request.json());
          return ask(request, 'recover', { ...body, limit: recoverLimit });
        },
      },
    },
    {
      path: '/api/tenants/:tenantId/webhook/pause',
      methods: {
        POST: async (request) =>
          change(request, { ...readStopBody(await request.json()), status: 'paused' }),
      },
    },
    {
      path: '/api/tenants/:tenantId/webhook/resume',
      methods: {
        POST: async (request) =>
          change(request, { ...readResumeBody(await request.json()), status: 'active' }),
      },
    },
    {
      path: '/api/tenants/:tenantId/webhook/disable',
      methods: {
        POST: async (request) =>
          change(request, { ...readStopBody(await request.json()), status: 'disabled' }),
      },
    },
    {
      path: '/api/tenants/:tenantId/webhook/rotate',
      methods: {
        POST: async (request) => {
          const wish = readRotateBody(await request.optionalJson());
          const result = await rotateWebhook(deployment, tenantIdOf(request), wish);
          if (result.outcome === 'rotated') return { status: 200, body: result.webhook };
          throw result.outcome === 'no-tenant' ? noSuchTenant() : noWebhook();
        },
      },
    },
  ];
}

type StatusWish = Parameters<typeof changeWebhookStatus>[2];

function noWebhook(): Refusal {
  return new Refusal('CONFLICT', { detail: 'This tenant has no webhook yet; set one first.' });
}

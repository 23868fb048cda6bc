import { webhookRoutes as declared } from '@tributary/contracts/admin/webhooks';
import type { Violation } from '@tributary/contracts/violation';
import type { InternalClient } from '@tributary/http/internal-client';
import { changeWebhookStatus } from '../catalog/commands/change-webhook-status.ts';
import type { Deployment } from '../catalog/commands/deployment.ts';
import { rotateWebhook } from '../catalog/commands/rotate-webhook.ts';
import { setWebhook } from '../catalog/commands/set-webhook.ts';
import { type Environment, validateWebhookUrl } from '../catalog/domain/addresses.ts';
import { existingTenant } from './existing-tenant.ts';
import { forward } from './forward.ts';
import { Refusal } from './refusal.ts';
import { noSuchTenant, serve, type ServedRoute, tenantIdOf } from './route.ts';

/** Exhausted deliveries taken up again at once; a caller goes on while there are more. */
const recoverLimit = 500;

/**
 * How a tenant's endpoint is set up, which is told here, and how it fares, which the dispatcher
 * knows.
 */
export function webhookRoutes(deployment: Deployment, dispatcher: InternalClient): ServedRoute[] {
  const check = (asked: OfTenant) => existingTenant(deployment, asked);

  async function change(asked: OfTenant, input: StatusRequest) {
    const result = await changeWebhookStatus(deployment, tenantIdOf(asked), input);
    if (result.outcome === 'has-status') return { status: 200, body: result.webhook } as const;
    throw result.outcome === 'no-tenant' ? noSuchTenant() : noWebhook();
  }

  return [
    forward(declared.showWebhook, dispatcher, { check }),
    serve(declared.setWebhook, { refine: refineWebhook(deployment.environment) })(async (asked) => {
      const result = await setWebhook(deployment, tenantIdOf(asked), {
        ...asked.body,
        by: asked.caller.actor,
      });
      if (result.outcome === 'set') return { status: 200, body: result.webhook };
      throw result.outcome === 'no-tenant' ? noSuchTenant() : needsPassword();
    }),
    forward(declared.testWebhook, dispatcher, { check }),
    forward(declared.recoverDeliveries, dispatcher, {
      check,
      body: ({ body }) => ({ ...body, limit: recoverLimit }),
    }),
    serve(declared.pauseWebhook)((asked) => change(asked, { ...asked.body, status: 'paused' })),
    serve(declared.resumeWebhook)((asked) => change(asked, { ...asked.body, status: 'active' })),
    serve(declared.disableWebhook)((asked) => change(asked, { ...asked.body, status: 'disabled' })),
    serve(declared.rotateWebhook)(async (asked) => {
      const result = await rotateWebhook(deployment, tenantIdOf(asked), {
        ...asked.body,
        by: asked.caller.actor,
      });
      if (result.outcome === 'rotated') return { status: 200, body: result.webhook };
      throw result.outcome === 'no-tenant' ? noSuchTenant() : noWebhook();
    }),
  ];
}

/** What the schema of a webhook cannot say: which addresses this deployment may ask. */
export function refineWebhook(environment: Environment) {
  return ({ url }: { url?: string }): Violation[] =>
    url === undefined ? [] : validateWebhookUrl(url, '/url', environment);
}

type OfTenant = { params: { tenantId: string } };
type StatusRequest = Parameters<typeof changeWebhookStatus>[2];

function needsPassword(): Refusal {
  const detail =
    'The address is another one than before: enter the password for it again. The present one is not sent to a new address; a lost one is replaced by rotating it first.';
  return new Refusal('VALIDATION_ERROR', {
    errors: [{ pointer: '/password', code: 'REQUIRED', detail }],
  });
}

function noWebhook(): Refusal {
  return new Refusal('CONFLICT', { detail: 'This tenant has no webhook yet; set one first.' });
}

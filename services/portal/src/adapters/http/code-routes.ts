import type { Deployment } from '../../commands/deployment.ts';
import { disableCode } from '../../commands/disable-code.ts';
import { enableCode } from '../../commands/enable-code.ts';
import { issueCode } from '../../commands/issue-code.ts';
import { readCodeBody, readUccBody } from './bodies.ts';
import { noSuchCampaign } from './campaign-routes.ts';
import { Refusal } from './refusal.ts';
import { noSuchTenant, type Route, tenantIdOf } from './route.ts';

export function codeRoutes(deployment: Deployment): Route[] {
  return [
    {
      path: '/api/tenants/:tenantId/codes',
      methods: {
        POST: async (request) => {
          const wish = readCodeBody(await request.json());
          const result = await issueCode(deployment, tenantIdOf(request), wish);
          switch (result.outcome) {
            case 'issued':
              return { status: 201, body: result.code };
            case 'exists':
              return { status: 200, body: result.code };
            case 'no-tenant':
              throw noSuchTenant();
            case 'no-campaign':
              throw noSuchCampaign();
            case 'no-default-campaign':
              throw new Refusal('CONFLICT', { detail: 'This tenant has no campaign yet.' });
            case 'taken':
              throw new Refusal('CONFLICT', {
                detail: 'This code belongs to another user or campaign of the tenant.',
              });
            default:
              return result satisfies never;
          }
        },
      },
    },
    {
      // The code is in the body: a custom one may be any text, also what a path cannot hold.
      path: '/api/tenants/:tenantId/codes/disable',
      methods: {
        POST: async (request) => {
          const { ucc } = readUccBody(await request.json());
          const result = await disableCode(deployment, tenantIdOf(request), ucc);
          if (result.outcome === 'disabled') return { status: 200, body: result.code };
          throw result.outcome === 'no-tenant' ? noSuchTenant() : noSuchCode();
        },
      },
    },
    {
      path: '/api/tenants/:tenantId/codes/enable',
      methods: {
        POST: async (request) => {
          const { ucc } = readUccBody(await request.json());
          const result = await enableCode(deployment, tenantIdOf(request), ucc);
          if (result.outcome === 'enabled') return { status: 200, body: result.code };
          throw result.outcome === 'no-tenant' ? noSuchTenant() : noSuchCode();
        },
      },
    },
  ];
}

function noSuchCode(): Refusal {
  return new Refusal('NOT_FOUND', { detail: 'This tenant has no such code.' });
}

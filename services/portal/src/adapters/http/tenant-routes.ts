import { createTenant } from '../../commands/create-tenant.ts';
import type { Deployment } from '../../commands/deployment.ts';
import { describeTenant, describeTenants } from '../../commands/describe-tenant.ts';
import { rotateProductSecret } from '../../commands/product-secret.ts';
import { chooseAttributionMode, chooseLegacyRepeatHours } from '../../commands/tenant-settings.ts';
import {
  readAttributionModeBody,
  readEmptyBody,
  readLegacyRepeatHoursBody,
  readTenantBody,
} from './bodies.ts';
import { Refusal } from './refusal.ts';
import { noSuchTenant, type Route, tenantIdOf } from './route.ts';

export function tenantRoutes(deployment: Deployment): Route[] {
  return [
    {
      path: '/api/tenants',
      methods: {
        GET: async () => ({ status: 200, body: await describeTenants(deployment) }),
        POST: async (request) => {
          const result = await createTenant(deployment, readTenantBody(await request.json()));
          if (result.outcome === 'taken') {
            const detail = 'A tenant with this id exists under another name or attribution mode.';
            throw new Refusal('CONFLICT', { detail });
          }
          return { status: result.outcome === 'created' ? 201 : 200, body: result.tenant };
        },
      },
    },
    {
      path: '/api/tenants/:tenantId',
      methods: {
        GET: async (request) => {
          const body = await describeTenant(deployment, tenantIdOf(request));
          if (body === undefined) throw noSuchTenant();
          return { status: 200, body };
        },
      },
    },
    {
      path: '/api/tenants/:tenantId/attribution-mode',
      methods: {
        PUT: async (request) => {
          const wish = readAttributionModeBody(await request.json());
          const tenantId = tenantIdOf(request);
          const tenant = await chooseAttributionMode(deployment, tenantId, wish.attributionMode);
          if (tenant === undefined) throw noSuchTenant();
          return { status: 200, body: { attributionMode: tenant.attributionMode } };
        },
      },
    },
    {
      path: '/api/tenants/:tenantId/legacy-repeat-hours',
      methods: {
        PUT: async (request) => {
          const wish = readLegacyRepeatHoursBody(await request.json());
          const tenantId = tenantIdOf(request);
          const tenant = await chooseLegacyRepeatHours(
            deployment,
            tenantId,
            wish.legacyRepeatHours,
          );
          if (tenant === undefined) throw noSuchTenant();
          return { status: 200, body: { legacyRepeatHours: tenant.legacyRepeatHours } };
        },
      },
    },
    {
      path: '/api/tenants/:tenantId/product-secret',
      methods: {
        POST: async (request) => {
          readEmptyBody(await request.optionalJson());
          const body = await rotateProductSecret(deployment, tenantIdOf(request));
          if (body === undefined) throw noSuchTenant();
          return { status: 201, body };
        },
      },
    },
  ];
}

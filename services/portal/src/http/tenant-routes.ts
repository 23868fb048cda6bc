import { tenantRoutes as declared } from '@tributary/contracts/admin/tenants';
import type { TenantStatus } from '@tributary/contracts/catalog-record';
import { may } from '../accounts/domain/caller.ts';
import { createTenant } from '../catalog/commands/create-tenant.ts';
import { describeTenant, describeTenants } from '../catalog/commands/describe-tenant.ts';
import { rotateProductSecret } from '../catalog/commands/product-secret.ts';
import { removeTenant } from '../catalog/commands/remove-tenant.ts';
import { chooseSetting } from '../catalog/commands/tenant-settings.ts';
import { countKnownPeople } from '../console/db/queries/known-people.ts';
import { checkExport } from './check-export.ts';
import { Refusal } from './refusal.ts';
import { noSuchTenant, serve, type ServedRoute, tenantIdOf } from './route.ts';
import { finishRemoval, type RemovalParts } from './tenant-removal.ts';

export function tenantRoutes(removal: RemovalParts): ServedRoute[] {
  const { deployment, readModel } = removal;
  const changeStatus = async (tenantId: string, status: TenantStatus) => {
    if ((await chooseSetting(deployment, tenantId, 'status', status)) === undefined) {
      throw noSuchTenant();
    }
    return { status: 200, body: { tenantId, status } } as const;
  };

  return [
    serve(declared.listTenants)(async ({ caller, query }) => {
      const { tenants } = await describeTenants(deployment);
      const theirs = tenants.filter(
        ({ tenantId, removedAt }) =>
          may(caller, declared.listTenants.right, tenantId) &&
          (removedAt === null || query.removed === 'true'),
      );
      return { status: 200, body: { tenants: theirs } };
    }),
    serve(declared.createTenant)(async ({ body }) => {
      const result = await createTenant(deployment, body);
      if (result.outcome === 'removed') {
        const detail = 'A removed tenant had this id or this name; neither can be used again.';
        throw new Refusal('CONFLICT', { detail });
      }
      if (result.outcome === 'taken') {
        const detail = 'A tenant with this id exists under another name or attribution mode.';
        throw new Refusal('CONFLICT', { detail });
      }
      return result.outcome === 'created'
        ? { status: 201, body: result.tenant }
        : { status: 200, body: result.tenant };
    }),
    serve(declared.showTenant)(async (asked) => {
      const body = await describeTenant(deployment, tenantIdOf(asked));
      if (body === undefined) throw noSuchTenant();
      const { environment } = deployment;
      return { status: 200, body: { ...body, environment } };
    }),
    serve(declared.setAttributionMode)(async (asked) => {
      const { attributionMode: mode } = asked.body;
      const tenant = await chooseSetting(deployment, tenantIdOf(asked), 'attributionMode', mode);
      if (tenant === undefined) throw noSuchTenant();
      return { status: 200, body: { attributionMode: tenant.attributionMode } };
    }),
    serve(declared.setLegacyRepeatHours)(async (asked) => {
      const { legacyRepeatHours: hours } = asked.body;
      const tenant = await chooseSetting(deployment, tenantIdOf(asked), 'legacyRepeatHours', hours);
      if (tenant === undefined) throw noSuchTenant();
      return { status: 200, body: { legacyRepeatHours: tenant.legacyRepeatHours } };
    }),
    serve(declared.setEventsPerSecond)(async (asked) => {
      const { eventsPerSecond: limit } = asked.body;
      const tenant = await chooseSetting(deployment, tenantIdOf(asked), 'eventsPerSecond', limit);
      if (tenant === undefined) throw noSuchTenant();
      return { status: 200, body: { eventsPerSecond: tenant.eventsPerSecond } };
    }),
    serve(declared.suspendTenant)((asked) => changeStatus(tenantIdOf(asked), 'suspended')),
    serve(declared.resumeTenant)((asked) => changeStatus(tenantIdOf(asked), 'active')),
    serve(declared.removeTenant)(async (asked) => {
      const tenantId = tenantIdOf(asked);
      const { by, exportedUntil } = asked.body;
      const done = await removeTenant(deployment, tenantId, {
        by,
        checkExport: (changedAt) => checkExport(removal, { tenantId, exportedUntil, changedAt }),
      });
      if (done.outcome === 'no-tenant') throw noSuchTenant();
      if (done.outcome !== 'removed') {
        throw new Refusal('CONFLICT', { detail: 'Suspend the tenant before you remove it.' });
      }
      const { removedAt } = done;
      const { requestId } = asked;
      const connectionsLeft = await finishRemoval(removal, tenantId, { by, requestId });
      const peopleLeft = await countKnownPeople(readModel.pool, tenantId);
      const body = { tenantId, status: 'suspended', removedAt, peopleLeft } as const;
      return { status: 200, body: { ...body, connectionsLeft } };
    }),
    serve(declared.rotateProductSecret)(async (asked) => {
      const body = await rotateProductSecret(deployment, tenantIdOf(asked));
      if (body === undefined) throw noSuchTenant();
      return { status: 201, body };
    }),
  ];
}

import { tenantRoutes as declared } from '@tributary/contracts/admin/tenants';
import type { Deployment } from '../catalog/commands/deployment.ts';
import { erasePerson } from '../catalog/commands/erase-person.ts';
import { noSuchTenant, serve, type ServedRoute, tenantIdOf } from './route.ts';

export function erasureRoutes(deployment: Deployment): ServedRoute[] {
  return [
    serve(declared.erasePerson)(async (asked) => {
      const { userId } = asked.body;
      const result = await erasePerson(deployment, tenantIdOf(asked), userId);
      if (result.outcome === 'no-tenant') throw noSuchTenant();
      const { erasedAt, repeatAt } = result;
      return { status: 200, body: { userId, erasedAt, repeatAt } };
    }),
  ];
}

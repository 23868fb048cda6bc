import { changeRoutes as declared } from '@tributary/contracts/admin/changes';
import type { ParamsOf } from '@tributary/contracts/admin/admin-route';
import type { Deployment } from '../catalog/commands/deployment.ts';
import type { ChangeStreams } from './change-streams.ts';
import { existingTenant } from './existing-tenant.ts';
import { readQuery } from './query.ts';
import type { ServedRoute } from './route.ts';

/** What changes of a tenant, as it changes. */
export function changeRoutes(deployment: Deployment, streams: ChangeStreams): ServedRoute[] {
  const route = declared.followChanges;
  return [
    {
      route,
      async validate({ search, caller }) {
        readQuery(search, route.query);
        return caller;
      },
      async handle(request) {
        readQuery(request.search, route.query);
        const { caller, remainsAdmitted } = request;
        const params = request.params as ParamsOf<typeof route>;
        const tenantId = await existingTenant(deployment, { params });
        const stream = streams.open({ tenantId, caller, stillAdmitted: remainsAdmitted });
        return { status: 200, body: undefined, stream };
      },
    },
  ];
}

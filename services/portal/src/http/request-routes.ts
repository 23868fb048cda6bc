import { requestRoutes as declared } from '@tributary/contracts/admin/requests';
import type { ReadModel } from '@tributary/generations/start-read-model';
import type { Deployment } from '../catalog/commands/deployment.ts';
import { countOmittedRequests, listRequests } from '../console/db/queries/list-requests.ts';
import { keptRequests } from '../console/log/plan.ts';
import { existingTenant } from './existing-tenant.ts';
import { asOf, nextCursor, pageOf } from './paged-answer.ts';
import { serve, type ServedRoute } from './route.ts';

const dayMs = 86_400_000;

/** What customers sent and were refused. */
export function requestRoutes(deployment: Deployment, readModel: ReadModel): ServedRoute[] {
  return [
    serve(declared.listRefusedRequests)(async (asked) => {
      const { query } = asked;
      const tenantId = await existingTenant(deployment, asked);
      // What is older is deleted a little later.
      const keptMs = deployment.clock.now().getTime() - keptRequests.days * dayMs;
      const oldest = new Date(keptMs).toISOString();
      const { from = oldest } = query;
      const filter = { ...query, from: from > oldest ? from : oldest };
      const { items, next } = await listRequests(readModel.pool, tenantId, filter, pageOf(query));
      const omitted = await countOmittedRequests(readModel.pool, tenantId, filter);
      const page = { requests: items, nextCursor: nextCursor(next), omitted };
      return { status: 200, body: { ...page, asOf: asOf(readModel) } };
    }),
  ];
}

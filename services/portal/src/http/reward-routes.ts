import { readModelRoutes as declared } from '@tributary/contracts/admin/read-model';
import type { ReadModel } from '@tributary/generations/start-read-model';
import type { Deployment } from '../catalog/commands/deployment.ts';
import { listIssuances } from '../console/db/queries/list-issuances.ts';
import { listRewards } from '../console/db/queries/list-rewards.ts';
import { existingTenant } from './existing-tenant.ts';
import { asOf, nextCursor, pageOf } from './paged-answer.ts';
import { serve, type ServedRoute } from './route.ts';

/** What a tenant's users are entitled to, and what of it was issued. */
export function rewardRoutes(deployment: Deployment, readModel: ReadModel): ServedRoute[] {
  return [
    serve(declared.listRewards)(async (asked) => {
      const { query } = asked;
      const tenantId = await existingTenant(deployment, asked);
      const { items, next } = await listRewards(readModel.pool, tenantId, query, pageOf(query));
      const rewards = items.map(({ recordedAt, reward, open }) => {
        const { schemaVersion: _s, tenantId: _t, ...shown } = reward;
        return { ...shown, open, recordedAt };
      });
      const body = { rewards, nextCursor: nextCursor(next), asOf: asOf(readModel) };
      return { status: 200, body };
    }),
    serve(declared.listIssuances)(async (asked) => {
      const { query } = asked;
      const tenantId = await existingTenant(deployment, asked);
      const { items, next } = await listIssuances(readModel.pool, tenantId, query, pageOf(query));
      const issuances = items.map(
        ({ schemaVersion: _s, type: _y, tenantId: _t, ...issuance }) => issuance,
      );
      const body = { issuances, nextCursor: nextCursor(next), asOf: asOf(readModel) };
      return { status: 200, body };
    }),
  ];
}

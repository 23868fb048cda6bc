import { encodeCursor } from '@tributary/contracts/admin/cursor';
import { codeRoutes as declared } from '@tributary/contracts/admin/codes';
import type { ReadModel } from '@tributary/generations/start-read-model';
import type { Deployment } from '../catalog/commands/deployment.ts';
import { disableCode } from '../catalog/commands/disable-code.ts';
import { enableCode } from '../catalog/commands/enable-code.ts';
import { issueCode } from '../catalog/commands/issue-code.ts';
import { listCodes } from '../console/db/queries/list-codes.ts';
import { existingTenant } from './existing-tenant.ts';
import { asOf, limitOf } from './paged-answer.ts';
import { noSuchCampaign } from './campaign-routes.ts';
import { Refusal } from './refusal.ts';
import { noSuchTenant, serve, type ServedRoute, tenantIdOf } from './route.ts';

export function codeRoutes(deployment: Deployment, readModel: ReadModel): ServedRoute[] {
  return [
    serve(declared.listCodes)(async (asked) => {
      const { limit, cursor, ...filter } = asked.query;
      const tenantId = await existingTenant(deployment, asked);
      const page = { limit: limitOf(limit), after: cursor?.[0] };
      const { codes, next } = await listCodes(readModel.pool, tenantId, filter, page);
      const nextCursor = next === undefined ? null : encodeCursor([next]);
      return { status: 200, body: { codes, nextCursor, asOf: asOf(readModel) } };
    }),
    serve(declared.issueCode)(async (asked) => {
      const result = await issueCode(deployment, tenantIdOf(asked), asked.body);
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
    }),
    serve(declared.disableCode)(async (asked) => {
      const result = await disableCode(deployment, tenantIdOf(asked), asked.body.ucc);
      if (result.outcome === 'disabled') return { status: 200, body: result.code };
      throw result.outcome === 'no-tenant' ? noSuchTenant() : noSuchCode();
    }),
    serve(declared.enableCode)(async (asked) => {
      const result = await enableCode(deployment, tenantIdOf(asked), asked.body.ucc);
      if (result.outcome === 'enabled') return { status: 200, body: result.code };
      throw result.outcome === 'no-tenant' ? noSuchTenant() : noSuchCode();
    }),
  ];
}

function noSuchCode(): Refusal {
  return new Refusal('NOT_FOUND', { detail: 'This tenant has no such code.' });
}

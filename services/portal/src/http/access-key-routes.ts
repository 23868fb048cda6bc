import { tenantRoutes as declared } from '@tributary/contracts/admin/tenants';
import { identifierPattern } from '@tributary/contracts/admin/text-fields';
import { issueAccessKey, revokeAccessKey } from '../catalog/commands/access-key.ts';
import type { Deployment } from '../catalog/commands/deployment.ts';
import { Refusal } from './refusal.ts';
import { noSuchTenant, serve, type ServedRoute, tenantIdOf } from './route.ts';

export function accessKeyRoutes(deployment: Deployment): ServedRoute[] {
  return [
    serve(declared.issueAccessKey)(async (asked) => {
      const body = await issueAccessKey(deployment, tenantIdOf(asked));
      if (body === undefined) throw noSuchTenant();
      return { status: 201, body };
    }),
    serve(declared.revokeAccessKey)(async (asked) => {
      const { accessKeyId } = asked.params;
      if (!identifierPattern.test(accessKeyId)) throw noSuchKey();
      const body = await revokeAccessKey(deployment, tenantIdOf(asked), accessKeyId);
      if (body === undefined) throw noSuchKey();
      return { status: 200, body };
    }),
  ];
}

function noSuchKey(): Refusal {
  return new Refusal('NOT_FOUND', { detail: 'This tenant has no access key with this id.' });
}

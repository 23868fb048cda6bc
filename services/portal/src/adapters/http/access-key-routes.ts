import { issueAccessKey, revokeAccessKey } from '../../commands/access-key.ts';
import type { Deployment } from '../../commands/deployment.ts';
import { readEmptyBody } from './bodies.ts';
import { identifierPattern } from './fields.ts';
import { Refusal } from './refusal.ts';
import { noSuchTenant, type Route, tenantIdOf } from './route.ts';

export function accessKeyRoutes(deployment: Deployment): Route[] {
  return [
    {
      path: '/api/tenants/:tenantId/access-keys',
      methods: {
        POST: async (request) => {
          readEmptyBody(await request.optionalJson());
          const body = await issueAccessKey(deployment, tenantIdOf(request));
          if (body === undefined) throw noSuchTenant();
          return { status: 201, body };
        },
      },
    },
    {
      path: '/api/tenants/:tenantId/access-keys/:accessKeyId',
      methods: {
        DELETE: async (request) => {
          const accessKeyId = request.param('accessKeyId');
          if (!identifierPattern.test(accessKeyId)) throw noSuchKey();
          const body = await revokeAccessKey(deployment, tenantIdOf(request), accessKeyId);
          if (body === undefined) throw noSuchKey();
          return { status: 200, body };
        },
      },
    },
  ];
}

function noSuchKey(): Refusal {
  return new Refusal('NOT_FOUND', { detail: 'This tenant has no access key with this id.' });
}

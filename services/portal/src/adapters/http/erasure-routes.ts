import { Type } from '@sinclair/typebox';
import type { Deployment } from '../../commands/deployment.ts';
import { erasePerson } from '../../commands/erase-person.ts';
import { createBodyReader } from './body.ts';
import { anyText } from './fields.ts';
import { noSuchTenant, type Route, tenantIdOf } from './route.ts';

/** The id stands in the body: any text is one, and paths end up in access logs. */
export function erasureRoutes(deployment: Deployment): Route[] {
  return [
    {
      path: '/api/tenants/:tenantId/people/erase',
      methods: {
        POST: async (request) => {
          const { userId } = readErasureBody(await request.json());
          const result = await erasePerson(deployment, tenantIdOf(request), userId);
          if (result.outcome === 'no-tenant') throw noSuchTenant();
          const { erasedAt, repeatAt } = result;
          return { status: 200, body: { userId, erasedAt, repeatAt } };
        },
      },
    },
  ];
}

const readErasureBody = createBodyReader(
  Type.Object({ userId: anyText(255) }, { additionalProperties: false }),
);

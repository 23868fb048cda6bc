import { encodeCursor } from '@tributary/contracts/admin/cursor';
import { userRoutes as declared } from '@tributary/contracts/admin/users';
import type { ReadModel } from '@tributary/generations/start-read-model';
import type { Deployment } from '../catalog/commands/deployment.ts';
import { findUsers, type UserPlace, type Way } from '../console/db/queries/find-users.ts';
import { existingTenant } from './existing-tenant.ts';
import { asOf, limitOf } from './paged-answer.ts';
import { serve, type ServedRoute } from './route.ts';

export function userRoutes(deployment: Deployment, readModel: ReadModel): ServedRoute[] {
  return [
    serve(declared.listUsers)(async (asked) => {
      const { q, limit, cursor } = asked.query;
      const tenantId = await existingTenant(deployment, asked);
      const page = { limit: limitOf(limit), after: placeOf(cursor) };
      const { users, next } = await findUsers(readModel.pool, tenantId, q, page);
      const nextCursor = next === undefined ? null : encodeCursor([next.by, next.key, next.userId]);
      return { status: 200, body: { users, nextCursor, asOf: asOf(readModel) } };
    }),
  ];
}

/** What no page has given is where a list begins: a cursor is never trusted. */
function placeOf(cursor: readonly string[] | undefined): UserPlace | undefined {
  const [way = '', key = '', userId = ''] = cursor ?? [];
  const by = ways.find((one) => one === way);
  return by === undefined ? undefined : { by, key, userId };
}

const ways: readonly Way[] = ['id', 'email', 'name', 'last-name'];

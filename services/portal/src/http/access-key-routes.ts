import { tenantRoutes as declared } from '@tributary/contracts/admin/tenants';
import { identifierPattern } from '@tributary/contracts/admin/text-fields';
import { ReadModelMissing } from '@tributary/generations/host-read-models';
import type { ReadModel } from '@tributary/generations/start-read-model';
import { inTransaction } from '@tributary/runtime/postgres';
import { issueAccessKey, revokeAccessKey } from '../catalog/commands/access-key.ts';
import type { Deployment } from '../catalog/commands/deployment.ts';
import { listAccessKeys } from '../catalog/db/access-keys.ts';
import { lastUsesOfAccessKeys } from '../console/db/queries/access-key-use.ts';
import { existingTenant } from './existing-tenant.ts';
import { Refusal } from './refusal.ts';
import { noSuchTenant, serve, type ServedRoute, tenantIdOf } from './route.ts';

export function accessKeyRoutes(deployment: Deployment, readModel: ReadModel): ServedRoute[] {
  return [
    serve(declared.listAccessKeys)(async (asked) => {
      const tenantId = await existingTenant(deployment, asked);
      const rows = await inTransaction(deployment.pool, (tx) => listAccessKeys(tx, tenantId));
      const lastUses = await lastUsesIfKnown(readModel, tenantId);
      const accessKeys = rows.map(({ tenantId: _t, secretDigest: _d, version: _v, ...key }) => ({
        ...key,
        lastUsedOn: lastUses.get(key.accessKeyId) ?? null,
      }));
      return { status: 200, body: { accessKeys } };
    }),
    serve(declared.issueAccessKey)(async (asked) => {
      const about = { name: asked.body.name ?? null, createdBy: asked.caller.actor };
      const body = await issueAccessKey(deployment, tenantIdOf(asked), about);
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

/** Keys are listed all the same while the read model is being made. */
async function lastUsesIfKnown(
  readModel: ReadModel,
  tenantId: string,
): Promise<Map<string, string>> {
  try {
    return await lastUsesOfAccessKeys(readModel.pool, tenantId);
  } catch (error) {
    if (error instanceof ReadModelMissing) return new Map();
    throw error;
  }
}

function noSuchKey(): Refusal {
  return new Refusal('NOT_FOUND', { detail: 'This tenant has no access key with this id.' });
}

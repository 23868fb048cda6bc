import { inTransaction } from '@tributary/runtime/postgres';
import type { Deployment } from '../catalog/commands/deployment.ts';
import { readTenant } from '../catalog/db/tenants.ts';
import { noSuchTenant, tenantIdOf } from './route.ts';

/**
 * The tenant of the path, as the catalog's own tables know it: one that was made a moment ago has
 * empty lists, one that does not exist has none.
 *
 * @throws {Refusal} NOT_FOUND
 */
export async function existingTenant(
  deployment: Deployment,
  asked: { params: { tenantId: string } },
): Promise<string> {
  const tenantId = tenantIdOf(asked);
  if (!(await isStoredTenant(deployment, tenantId))) throw noSuchTenant();
  return tenantId;
}

export async function isStoredTenant({ pool }: Deployment, tenantId: string): Promise<boolean> {
  return (await inTransaction(pool, (tx) => readTenant(tx, tenantId))) !== undefined;
}

import { catalogEntityKey, type CatalogRecord } from '@tributary/contracts/catalog-record';
import type { Tx } from '@tributary/runtime/postgres';

/**
 * Records that came before their tenant's. Rows refer to their tenant, so these are kept until the
 * tenant comes; those of one that nobody ever made stay.
 */
export async function keepAhead(tx: Tx, record: CatalogRecord): Promise<void> {
  await tx.query(
    `insert into catalog_ahead (tenant_id, entity, version, record) values ($1, $2, $3, $4)
     on conflict (tenant_id, entity, version) do nothing`,
    [record.tenantId, catalogEntityKey(record), record.version, JSON.stringify(record)],
  );
}

/** In the order of their versions; none while there is no such tenant. */
export async function takeAhead(tx: Tx, tenantId: string): Promise<CatalogRecord[]> {
  const { rows } = await tx.query<{ version: number; record: CatalogRecord }>(
    `delete from catalog_ahead using tenant
     where catalog_ahead.tenant_id = $1 and tenant.tenant_id = $1
     returning catalog_ahead.version, record`,
    [tenantId],
  );
  return rows.sort((a, b) => a.version - b.version).map(({ record }) => record);
}

export async function readExistingTenants(
  tx: Tx,
  tenantIds: readonly string[],
): Promise<Set<string>> {
  const { rows } = await tx.query<{ tenant_id: string }>(
    'select tenant_id from tenant where tenant_id = any($1)',
    [tenantIds],
  );
  return new Set(rows.map(({ tenant_id }) => tenant_id));
}

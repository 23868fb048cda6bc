import type { Tx } from '@tributary/runtime/postgres';
import type pg from 'pg';

export type AccessKeyRow = {
  accessKeyId: string;
  tenantId: string;
  secretDigest: string;
  status: 'active' | 'revoked';
  version: number;
  name: string | null;
  createdBy: string | null;
};

const columns = `access_key_id as "accessKeyId", tenant_id as "tenantId",
  secret_digest as "secretDigest", status, version, name, created_by as "createdBy"`;

export async function insertAccessKey(tx: Tx, row: AccessKeyRow & { at: Date }): Promise<void> {
  await tx.query(
    `insert into access_key
       (access_key_id, tenant_id, secret_digest, status, version, created_at, name, created_by)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      ...[row.accessKeyId, row.tenantId, row.secretDigest, row.status, row.version, row.at],
      ...[row.name, row.createdBy],
    ],
  );
}

export async function readAccessKey(
  tx: Tx,
  tenantId: string,
  accessKeyId: string,
): Promise<AccessKeyRow | undefined> {
  const { rows } = await tx.query<AccessKeyRow>(
    `select ${columns} from access_key where tenant_id = $1 and access_key_id = $2`,
    [tenantId, accessKeyId],
  );
  return rows[0];
}

export async function listAccessKeys(
  tx: Tx,
  tenantId: string,
): Promise<(AccessKeyRow & { createdAt: Date; revokedAt: Date | null })[]> {
  const { rows } = await tx.query<AccessKeyRow & { createdAt: Date; revokedAt: Date | null }>(
    `select ${columns}, created_at as "createdAt", revoked_at as "revokedAt" from access_key where tenant_id = $1 order by created_at, access_key_id`,
    [tenantId],
  );
  return rows;
}

/** The key is active, it is this tenant's, and the tenant is active. */
export async function isActiveKey(
  db: Pick<pg.Pool, 'query'>,
  tenantId: string,
  accessKeyId: string,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `select 1 from access_key join tenant using (tenant_id)
     where tenant_id = $1 and access_key_id = $2
       and access_key.status = 'active' and tenant.status = 'active'`,
    [tenantId, accessKeyId],
  );
  return rowCount === 1;
}

/** Nothing when the key is not active. */
export async function markAccessKeyRevoked(
  tx: Tx,
  key: { tenantId: string; accessKeyId: string; at: Date },
): Promise<AccessKeyRow | undefined> {
  const { rows } = await tx.query<AccessKeyRow>(
    `update access_key set status = 'revoked', version = version + 1, revoked_at = $3
     where tenant_id = $1 and access_key_id = $2 and status = 'active'
     returning ${columns}`,
    [key.tenantId, key.accessKeyId, key.at],
  );
  return rows[0];
}

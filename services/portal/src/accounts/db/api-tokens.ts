import type { Role } from '@tributary/contracts/admin/rights';
import type { Db } from './any-connection.ts';

export type ApiTokenRow = {
  tokenId: string;
  name: string;
  tenantId: string | null;
  role: Role;
  createdBy: string;
  createdAt: Date;
  expiresAt: Date;
  lastUsedAt: Date | null;
  revokedAt: Date | null;
};

const columns = `token_id as "tokenId", name, tenant_id as "tenantId", role,
  created_by as "createdBy", created_at as "createdAt", expires_at as "expiresAt",
  last_used_at as "lastUsedAt", revoked_at as "revokedAt"`;

export async function insertApiToken(
  db: Db,
  row: Omit<ApiTokenRow, 'lastUsedAt' | 'revokedAt'> & { digest: string },
): Promise<void> {
  await db.query(
    `insert into api_token
       (token_id, digest, name, tenant_id, role, created_by, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      row.tokenId,
      row.digest,
      row.name,
      row.tenantId,
      row.role,
      row.createdBy,
      row.createdAt,
      row.expiresAt,
    ],
  );
}

/** One that holds. */
export async function findApiToken(
  db: Db,
  digest: string,
  at: Date,
): Promise<ApiTokenRow | undefined> {
  const { rows } = await db.query<ApiTokenRow>(
    `select ${columns} from api_token
     where digest = $1 and expires_at > $2 and revoked_at is null`,
    [digest, at],
  );
  return rows[0];
}

/** The same by its id, for what its holder asked before. */
export async function findTokenOfId(
  db: Db,
  tokenId: string,
  at: Date,
): Promise<ApiTokenRow | undefined> {
  const { rows } = await db.query<ApiTokenRow>(
    `select ${columns} from api_token
     where token_id = $1 and expires_at > $2 and revoked_at is null`,
    [tokenId, at],
  );
  return rows[0];
}

export async function tokenUsed(db: Db, tokenId: string, at: Date): Promise<void> {
  await db.query(`update api_token set last_used_at = $2 where token_id = $1`, [tokenId, at]);
}

/** Those of a tenant; null: of the deployment. */
export async function listApiTokens(db: Db, tenantId: string | null): Promise<ApiTokenRow[]> {
  const { rows } = await db.query<ApiTokenRow>(
    `select ${columns} from api_token where tenant_id is not distinct from $1
     order by created_at, token_id`,
    [tenantId],
  );
  return rows;
}

export async function revokeApiToken(
  db: Db,
  tenantId: string | null,
  tokenId: string,
  at: Date,
): Promise<ApiTokenRow | undefined> {
  const { rows } = await db.query<ApiTokenRow>(
    `update api_token set revoked_at = coalesce(revoked_at, $3)
     where tenant_id is not distinct from $1 and token_id = $2 returning ${columns}`,
    [tenantId, tokenId, at],
  );
  return rows[0];
}

export async function revokeApiTokensOf(db: Db, tenantId: string, at: Date): Promise<void> {
  await db.query(
    `update api_token set revoked_at = $2 where tenant_id = $1 and revoked_at is null`,
    [tenantId, at],
  );
}

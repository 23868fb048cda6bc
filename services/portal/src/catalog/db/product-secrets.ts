import type { Tx } from '@tributary/runtime/postgres';

/** Writes the first secret of a tenant or replaces it; gives the new version. */
export async function putProductSecret(
  tx: Tx,
  secret: { tenantId: string; sealedSecret: string; at: Date },
): Promise<number> {
  const { rows } = await tx.query<{ version: number }>(
    `insert into product_secret (tenant_id, sealed_secret, version, changed_at)
     values ($1, $2, 1, $3)
     on conflict (tenant_id) do update set
       sealed_secret = excluded.sealed_secret,
       version = product_secret.version + 1,
       changed_at = excluded.changed_at
     returning version`,
    [secret.tenantId, secret.sealedSecret, secret.at],
  );
  return rows[0]!.version;
}

export async function readSealedProductSecret(
  tx: Tx,
  tenantId: string,
): Promise<string | undefined> {
  const { rows } = await tx.query<{ sealedSecret: string }>(
    `select sealed_secret as "sealedSecret" from product_secret where tenant_id = $1`,
    [tenantId],
  );
  return rows[0]?.sealedSecret;
}

import type { Tx } from '@tributary/runtime/postgres';

export type CodeRow = { ucc: string; campaignId: string; productUserId: string };
export type StoredCode = CodeRow & { version: number; disabledAt: Date | null };

const columns = `ucc, campaign_id as "campaignId", product_user_id as "productUserId", version,
  disabled_at as "disabledAt"`;

/** False when the ucc is taken within the tenant, by whomever. */
export async function insertCode(
  tx: Tx,
  tenantId: string,
  code: CodeRow & { version: number; at: Date },
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `insert into code (tenant_id, ucc, campaign_id, product_user_id, version, issued_at)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (tenant_id, ucc) do nothing`,
    [tenantId, code.ucc, code.campaignId, code.productUserId, code.version, code.at],
  );
  return rowCount === 1;
}

export async function readCode(
  tx: Tx,
  tenantId: string,
  ucc: string,
): Promise<StoredCode | undefined> {
  const { rows } = await tx.query<StoredCode>(
    `select ${columns} from code where tenant_id = $1 and ucc = $2`,
    [tenantId, ucc],
  );
  return rows[0];
}

/** Nothing when the tenant has no such code, or has disabled it already. */
export async function markCodeDisabled(
  tx: Tx,
  code: { tenantId: string; ucc: string; at: Date },
): Promise<StoredCode | undefined> {
  const { rows } = await tx.query<StoredCode>(
    `update code set disabled_at = $3, version = version + 1
     where tenant_id = $1 and ucc = $2 and disabled_at is null
     returning ${columns}`,
    [code.tenantId, code.ucc, code.at],
  );
  return rows[0];
}

/**
 * Nothing when the tenant has no such code, or it is not disabled. By two clocks it may seem to be
 * enabled before it was disabled: it is from the moment after on.
 */
export async function markCodeEnabled(
  tx: Tx,
  code: { tenantId: string; ucc: string; at: Date },
): Promise<(StoredCode & { enabledAt: Date }) | undefined> {
  const { rows } = await tx.query<StoredCode & { enabledAt: Date }>(
    `update code set disabled_at = null, version = code.version + 1
     from (select tenant_id, ucc, disabled_at from code
           where tenant_id = $1 and ucc = $2 and disabled_at is not null for update) as was
     where code.tenant_id = was.tenant_id and code.ucc = was.ucc
     returning code.ucc, campaign_id as "campaignId", product_user_id as "productUserId", version,
       null as "disabledAt",
       greatest($3::timestamptz, was.disabled_at + interval '1 ms') as "enabledAt"`,
    [code.tenantId, code.ucc, code.at],
  );
  return rows[0];
}

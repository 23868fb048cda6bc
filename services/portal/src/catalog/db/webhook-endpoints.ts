import type { WebhookEndpointStatus } from '@tributary/contracts/catalog-record';
import type { Tx } from '@tributary/runtime/postgres';

export type WebhookEndpointRow = {
  url: string;
  username: string;
  sealedPassword: string;
  /** While rotated credentials overlap, and maybe after. */
  previous: { username: string; sealedPassword: string; until: Date } | undefined;
  status: WebhookEndpointStatus;
  reason: string | undefined;
  changedBy: string | undefined;
  version: number;
  changedAt: Date;
};

export async function readWebhookEndpoint(
  tx: Tx,
  tenantId: string,
): Promise<WebhookEndpointRow | undefined> {
  const { rows } = await tx.query<StoredRow>(
    `select url, username, sealed_password as "sealedPassword", status, reason,
       changed_by as "changedBy", previous_username as "previousUsername",
       previous_sealed_password as "previousSealedPassword", previous_until as "previousUntil",
       version, changed_at as "changedAt"
     from webhook_endpoint where tenant_id = $1`,
    [tenantId],
  );
  return rows[0] && fromRow(rows[0]);
}

type StoredRow = Omit<WebhookEndpointRow, 'previous' | 'reason' | 'changedBy'> & {
  reason: string | null;
  changedBy: string | null;
  previousUsername: string | null;
  previousSealedPassword: string | null;
  previousUntil: Date | null;
};

function fromRow(row: StoredRow): WebhookEndpointRow {
  const { previousUsername, previousSealedPassword, previousUntil, ...endpoint } = row;
  const isWhole =
    previousUsername !== null && previousSealedPassword !== null && previousUntil !== null;
  return {
    ...endpoint,
    reason: row.reason ?? undefined,
    changedBy: row.changedBy ?? undefined,
    previous: isWhole
      ? {
          username: previousUsername,
          sealedPassword: previousSealedPassword,
          until: previousUntil,
        }
      : undefined,
  };
}

/** Writes the first endpoint of a tenant or replaces it; gives the new version. */
export async function putWebhookEndpoint(
  tx: Tx,
  tenantId: string,
  endpoint: Omit<WebhookEndpointRow, 'version'>,
): Promise<number> {
  const { previous } = endpoint;
  const { rows } = await tx.query<{ version: number }>(
    `insert into webhook_endpoint
       (tenant_id, url, username, sealed_password, status, reason, changed_by, previous_username,
        previous_sealed_password, previous_until, changed_at, version)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 1)
     on conflict (tenant_id) do update set
       url = excluded.url,
       username = excluded.username,
       sealed_password = excluded.sealed_password,
       status = excluded.status,
       reason = excluded.reason,
       changed_by = excluded.changed_by,
       previous_username = excluded.previous_username,
       previous_sealed_password = excluded.previous_sealed_password,
       previous_until = excluded.previous_until,
       version = webhook_endpoint.version + 1,
       changed_at = excluded.changed_at
     returning version`,
    [
      tenantId,
      endpoint.url,
      endpoint.username,
      endpoint.sealedPassword,
      endpoint.status,
      endpoint.reason ?? null,
      endpoint.changedBy ?? null,
      previous?.username ?? null,
      previous?.sealedPassword ?? null,
      previous?.until ?? null,
      endpoint.changedAt,
    ],
  );
  return rows[0]!.version;
}

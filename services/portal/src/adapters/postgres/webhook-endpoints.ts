import type { Tx } from '@tributary/runtime/postgres';

export type WebhookEndpointRow = {
  url: string;
  username: string;
  sealedPassword: string;
  status: 'active' | 'disabled';
  version: number;
};

export async function readWebhookEndpoint(
  tx: Tx,
  tenantId: string,
): Promise<WebhookEndpointRow | undefined> {
  const { rows } = await tx.query<WebhookEndpointRow>(
    `select url, username, sealed_password as "sealedPassword", status, version
     from webhook_endpoint where tenant_id = $1`,
    [tenantId],
  );
  return rows[0];
}

/** Writes the first endpoint of a tenant or replaces it; gives the new version. */
export async function putWebhookEndpoint(
  tx: Tx,
  tenantId: string,
  endpoint: Omit<WebhookEndpointRow, 'version'>,
  at: Date,
): Promise<number> {
  const { rows } = await tx.query<{ version: number }>(
    `insert into webhook_endpoint
       (tenant_id, url, username, sealed_password, status, version, changed_at)
     values ($1, $2, $3, $4, $5, 1, $6)
     on conflict (tenant_id) do update set
       url = excluded.url,
       username = excluded.username,
       sealed_password = excluded.sealed_password,
       status = excluded.status,
       version = webhook_endpoint.version + 1,
       changed_at = excluded.changed_at
     returning version`,
    [tenantId, endpoint.url, endpoint.username, endpoint.sealedPassword, endpoint.status, at],
  );
  return rows[0]!.version;
}

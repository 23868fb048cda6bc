import type { DomainRecord, WidgetSettingsRecord } from '@tributary/contracts/catalog-record';
import type { Tx } from '@tributary/runtime/postgres';

// What recover-catalog.ts does, for what the browser scripts go by.

export async function recoverDomain(tx: Tx, record: DomainRecord): Promise<void> {
  await tx.query(
    `insert into registered_domain (tenant_id, domain, status, version, changed_at, proof, challenge,
        checked_at)
     select tenant_id, $2, $3, $4, $5, $6, $7, $5 from tenant
     where tenant_id = $1
       and not exists
         (select 1 from registered_domain
          where tenant_id = $1 and domain = $2 and version >= $4::integer)
     on conflict (tenant_id, domain) do update set
       status = excluded.status, version = excluded.version,
       changed_at = case registered_domain.status when excluded.status
         then registered_domain.changed_at else excluded.changed_at end,
       proof = excluded.proof, challenge = excluded.challenge, checked_at = excluded.checked_at,
       failing_since = null
     where registered_domain.version < excluded.version`,
    [
      record.tenantId,
      record.domain,
      record.status,
      record.version,
      record.publishedAt,
      record.proof,
      record.challenge ?? null,
    ],
  );
}

export async function recoverWidgetSettings(tx: Tx, record: WidgetSettingsRecord): Promise<void> {
  await tx.query(
    `insert into widget_settings (tenant_id, settings, version, changed_at)
     select tenant_id, $2, $3, $4 from tenant
     where tenant_id = $1
       and not exists
         (select 1 from widget_settings where tenant_id = $1 and version >= $3::integer)
     on conflict (tenant_id) do update set
       settings = excluded.settings, version = excluded.version,
       changed_at = excluded.changed_at
     where widget_settings.version < excluded.version`,
    [record.tenantId, JSON.stringify(record.settings), record.version, record.publishedAt],
  );
}

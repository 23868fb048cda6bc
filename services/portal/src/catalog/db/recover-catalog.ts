import {
  type AccessKeyRecord,
  type CampaignRevisionRecord,
  type CatalogRecord,
  defaultRepeatHours,
  type ErasureRecord,
  type ProcessorConnectionRecord,
  type ProductSecretRecord,
  type TenantRecord,
  type WebhookEndpointRecord,
} from '@tributary/contracts/catalog-record';
import type { Tx } from '@tributary/runtime/postgres';
import { settingsOf } from '../domain/campaign-draft.ts';
import { keepAhead, readExistingTenants, takeAhead } from './catalog-ahead.ts';
import { recoverDomain, recoverWidgetSettings } from './recover-widget.ts';

/**
 * Rows of the catalog from its own records, where the tables know of no version as high. What they
 * do know of is looked at without a lock: in ordinary times that is every record, told a moment ago
 * by these tables, and a change under way must not wait for it. When a row was made and when a key
 * was revoked is the time at which it was published.
 *
 * Records come in any order, as processes do not wait for each other when they publish (decision
 * 34): a lower version after a higher one, what belongs to a tenant before the tenant itself.
 *
 * A record that these tables could not have published (a tenant that nobody made, a name they do
 * not take) changes none of them: what it says holds for the other services and is not in this
 * one's power.
 */
export async function recoverCatalog(tx: Tx, records: readonly CatalogRecord[]): Promise<void> {
  if (records.length === 0) return;
  const tenants = records.filter((record) => record.entity === 'tenant');
  for (const tenant of tenants) await recoverTenant(tx, tenant);

  const tenantIds = records.map(({ tenantId }) => tenantId);
  const existing = await readExistingTenants(tx, tenantIds);
  for (const record of records.filter(({ entity }) => entity !== 'tenant')) {
    if (existing.has(record.tenantId)) await recoverRecord(tx, record);
    else await keepAhead(tx, record);
  }
  for (const { tenantId } of tenants) {
    for (const record of await takeAhead(tx, tenantId)) await recoverRecord(tx, record);
  }
}

async function recoverRecord(tx: Tx, record: CatalogRecord): Promise<void> {
  switch (record.entity) {
    case 'tenant':
      return recoverTenant(tx, record);
    case 'access-key':
      return recoverAccessKey(tx, record);
    case 'product-secret':
      return recoverProductSecret(tx, record);
    case 'campaign-revision':
      return recoverCampaignRevision(tx, record);
    case 'webhook-endpoint':
      return recoverWebhookEndpoint(tx, record);
    case 'erasure':
      return recoverErasure(tx, record);
    case 'processor-connection':
      return recoverProcessorConnection(tx, record);
    case 'domain':
      return recoverDomain(tx, record);
    case 'widget-settings':
      return recoverWidgetSettings(tx, record);
    default:
      return record satisfies never;
  }
}

async function recoverTenant(tx: Tx, record: TenantRecord): Promise<void> {
  await tx.query(
    `insert into tenant
       (tenant_id, name, status, product_id, default_campaign_id, attribution_mode, version,
        created_at, legacy_repeat_hours, events_per_second, removed_at, changed_at)
     select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $8
     where $1::text ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$'
       and not exists (select 1 from tenant where tenant_id = $1 and version >= $7::integer)
       and not exists (select 1 from tenant where product_id = $4 and tenant_id <> $1)
     on conflict (tenant_id) do update set
       name = excluded.name, status = excluded.status, product_id = excluded.product_id,
       default_campaign_id = excluded.default_campaign_id,
       attribution_mode = excluded.attribution_mode,
       legacy_repeat_hours = excluded.legacy_repeat_hours,
       events_per_second = excluded.events_per_second, removed_at = excluded.removed_at,
       changed_at = excluded.changed_at, version = excluded.version
     where tenant.version < excluded.version`,
    [
      record.tenantId,
      record.name,
      record.status,
      record.productId,
      record.defaultCampaignId,
      record.attributionMode ?? 'event-code',
      record.version,
      record.publishedAt,
      record.legacyRepeatHours ?? defaultRepeatHours,
      record.eventsPerSecond ?? null,
      record.removedAt ?? null,
    ],
  );
  if (record.version > 1) return;
  await tx.query(`update tenant set created_at = $2 where tenant_id = $1 and created_at <> $2`, [
    record.tenantId,
    record.publishedAt,
  ]);
}

async function recoverAccessKey(tx: Tx, record: AccessKeyRecord): Promise<void> {
  await tx.query(
    `insert into access_key
       (access_key_id, tenant_id, secret_digest, status, version, created_at, revoked_at, name,
        created_by)
     select $1, tenant_id, $3, $4, $5, $6, case when $4::text = 'revoked' then $6::timestamptz end,
       $7, $8
     from tenant
     where tenant_id = $2
       and not exists (select 1 from access_key where access_key_id = $1 and version >= $5::integer)
     on conflict (access_key_id) do update set
       secret_digest = excluded.secret_digest, status = excluded.status,
       version = excluded.version, revoked_at = excluded.revoked_at, name = excluded.name,
       created_by = excluded.created_by
     where access_key.version < excluded.version and access_key.tenant_id = excluded.tenant_id`,
    [
      record.accessKeyId,
      record.tenantId,
      record.secretDigest,
      record.status,
      record.version,
      record.publishedAt,
      record.name ?? null,
      record.createdBy ?? null,
    ],
  );
  if (record.version > 1) return;
  await tx.query(
    `update access_key set created_at = $3
     where access_key_id = $1 and tenant_id = $2 and created_at <> $3`,
    [record.accessKeyId, record.tenantId, record.publishedAt],
  );
}

async function recoverProductSecret(tx: Tx, record: ProductSecretRecord): Promise<void> {
  await tx.query(
    `insert into product_secret (tenant_id, sealed_secret, version, changed_at)
     select tenant_id, $2, $3, $4 from tenant
     where tenant_id = $1
       and not exists (select 1 from product_secret where tenant_id = $1 and version >= $3::integer)
     on conflict (tenant_id) do update set
       sealed_secret = excluded.sealed_secret, version = excluded.version,
       changed_at = excluded.changed_at
     where product_secret.version < excluded.version`,
    [record.tenantId, record.sealedSecret, record.version, record.publishedAt],
  );
}

async function recoverCampaignRevision(tx: Tx, record: CampaignRevisionRecord): Promise<void> {
  await tx.query(
    `insert into campaign_revision
       (tenant_id, campaign_id, revision, name, status, effective_from, landing_url, credit_scale,
        rules, settings, created_at, preview_id)
     select tenant_id, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12 from tenant
     where tenant_id = $1 and $2::text ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$'
     on conflict (tenant_id, campaign_id, revision) do nothing`,
    [
      record.tenantId,
      record.campaignId,
      record.revision,
      record.name,
      record.status,
      record.effectiveFrom,
      record.landingUrl,
      record.creditScale,
      JSON.stringify(record.rules),
      JSON.stringify(settingsOf(record)),
      record.publishedAt,
      record.previewId ?? null,
    ],
  );
}

async function recoverWebhookEndpoint(tx: Tx, record: WebhookEndpointRecord): Promise<void> {
  const { previous } = record;
  await tx.query(
    `insert into webhook_endpoint
       (tenant_id, url, username, sealed_password, status, reason, changed_by, previous_username,
        previous_sealed_password, previous_until, changed_at, version)
     select tenant_id, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12 from tenant
     where tenant_id = $1
       and not exists
         (select 1 from webhook_endpoint where tenant_id = $1 and version >= $12::integer)
     on conflict (tenant_id) do update set
       url = excluded.url, username = excluded.username,
       sealed_password = excluded.sealed_password, status = excluded.status,
       reason = excluded.reason, changed_by = excluded.changed_by,
       previous_username = excluded.previous_username,
       previous_sealed_password = excluded.previous_sealed_password,
       previous_until = excluded.previous_until, changed_at = excluded.changed_at,
       version = excluded.version
     where webhook_endpoint.version < excluded.version`,
    [
      record.tenantId,
      record.url,
      record.username,
      record.sealedPassword,
      record.status,
      record.reason ?? null,
      record.changedBy ?? null,
      previous?.username ?? null,
      previous?.sealedPassword ?? null,
      previous?.until ?? null,
      record.publishedAt,
      record.version,
    ],
  );
}

/** Whether the second tombstone was sent is not on record: one more does no harm. */
async function recoverErasure(tx: Tx, record: ErasureRecord): Promise<void> {
  await tx.query(
    `insert into erasure (tenant_id, user_id, version, erased_at, repeat_at)
     select tenant_id, $2, $3, $4, $5::timestamptz + interval '73 hours' from tenant
     where tenant_id = $1
       and not exists
         (select 1 from erasure where tenant_id = $1 and user_id = $2 and version >= $3::integer)
     on conflict (tenant_id, user_id) do update set
       version = excluded.version, erased_at = excluded.erased_at, repeat_at = excluded.repeat_at
     where erasure.version < excluded.version`,
    [record.tenantId, record.userId, record.version, record.erasedAt, record.publishedAt],
  );
}

/** One that is opening here is opened by its record: whoever was at it lost it to the log. */
async function recoverProcessorConnection(
  tx: Tx,
  record: ProcessorConnectionRecord,
): Promise<void> {
  const { endpoint, previous } = record;
  await tx.query(
    `insert into processor_connection
       (tenant_id, connection_id, processor, status, api_version, livemode, connected_at, tax_policy,
        sealed_api_key, endpoint_id, endpoint_sealed_secret, previous_endpoint_id,
        previous_sealed_secret, previous_until, reason, changed_by, version, changed_at)
     select tenant_id, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18
     from tenant
     where tenant_id = $1
       and not exists
         (select 1 from processor_connection where connection_id = $2 and version >= $17::integer)
     on conflict (connection_id) do update set
       status = excluded.status, api_version = excluded.api_version, livemode = excluded.livemode,
       connected_at = excluded.connected_at, tax_policy = excluded.tax_policy,
       sealed_api_key = excluded.sealed_api_key, endpoint_id = excluded.endpoint_id,
       endpoint_sealed_secret = excluded.endpoint_sealed_secret,
       previous_endpoint_id = excluded.previous_endpoint_id,
       previous_sealed_secret = excluded.previous_sealed_secret,
       previous_until = excluded.previous_until, reason = excluded.reason,
       changed_by = excluded.changed_by, version = excluded.version,
       changed_at = excluded.changed_at, held_by = null, held_until = null
     where processor_connection.version < excluded.version
       and processor_connection.tenant_id = excluded.tenant_id`,
    [
      record.tenantId,
      record.connectionId,
      record.processor,
      record.status,
      record.apiVersion,
      record.livemode,
      record.connectedAt,
      record.taxPolicy,
      record.sealedApiKey,
      endpoint?.id ?? null,
      endpoint?.sealedSecret ?? null,
      previous?.id ?? null,
      previous?.sealedSecret ?? null,
      previous?.until ?? null,
      record.reason ?? null,
      record.changedBy ?? null,
      record.version,
      record.publishedAt,
    ],
  );
}

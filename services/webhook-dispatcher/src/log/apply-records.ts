import type {
  CatalogRecord,
  ErasureRecord,
  TenantRecord,
  WebhookEndpointRecord,
} from '@tributary/contracts/catalog-record';
import type { DeliveryFact } from '@tributary/contracts/delivery-record';
import type { IssuanceFact, IssuanceRecord } from '@tributary/contracts/issuance-record';
import type { Incoming } from '@tributary/event-log/projection';
import type { Tx } from '@tributary/runtime/postgres';
import { buildWebhookBody } from '../domain/payload.ts';
import { eraseAnswers } from '../db/erase-answers.ts';
import { insertDeliveries, type NewDelivery } from '../db/insert-deliveries.ts';
import { notifyDue } from '../db/notify-due.ts';
import { lockEndpoints } from '../db/lock-endpoints.ts';
import { type EndpointConfig, putEndpoints } from '../db/put-endpoints.ts';
import { putTenants, type TenantStatus } from '../db/put-tenants.ts';
import { restoreFacts } from './restore-facts.ts';

/**
 * The three topics that make the tables, in any order and any number of times: issuances say what
 * to send, our own deliveries say what has been sent already, the catalog says where to, and who is
 * to be forgotten.
 */
export const issuancesSource = 'issuances';
export const deliveriesSource = 'deliveries';
export const catalogSource = 'catalog';

/** These deliveries of this transaction may be due: whoever sends is to look. */
export type BecameDue = (tx: Tx, webhookEventIds: readonly string[]) => Promise<void>;

export async function applyRecords(
  tx: Tx,
  batch: readonly Incoming[],
  becameDue: BecameDue = notifyDue,
): Promise<void> {
  const records = batch.filter((record) => record.value !== null);
  if (records.length === 0) return;
  switch (batch[0]?.source) {
    case issuancesSource: {
      const issued = (records as Incoming<IssuanceFact>[]).filter(isIssued);
      const due = issued.length > 0 ? await insertDeliveries(tx, issued.map(toDelivery)) : [];
      if (due.length > 0) await becameDue(tx, due);
      return;
    }
    case deliveriesSource: {
      const facts = (records as Incoming<DeliveryFact>[]).filter(hasRealTimes);
      await restoreFacts(
        tx,
        facts.map((record) => record.value!),
      );
      return;
    }
    case catalogSource: {
      await eraseAnswers(tx, (records as Incoming<CatalogRecord>[]).flatMap(toErasure));
      const endpoints = (records as Incoming<CatalogRecord>[]).filter(isEndpoint);
      const tenants = (records as Incoming<CatalogRecord>[]).filter(isTenant);
      await lockEndpoints(tx, { put: tenantIdsOf(endpoints), touched: tenantIdsOf(tenants) });
      if (endpoints.length > 0) await putEndpoints(tx, latestConfigs(endpoints));
      if (tenants.length > 0) await putTenants(tx, latestStatuses(tenants));
      return;
    }
    default:
      throw new Error(`no such source: ${batch[0]?.source}`);
  }
}

/** What an operator released or withheld is nothing to send. */
function isIssued(record: Incoming<IssuanceFact>): record is Incoming<IssuanceRecord> {
  return record.value?.type === 'issued';
}

function isEndpoint(record: Incoming<CatalogRecord>): record is Incoming<WebhookEndpointRecord> {
  return record.value?.entity === 'webhook-endpoint';
}

function isTenant(record: Incoming<CatalogRecord>): record is Incoming<TenantRecord> {
  return record.value?.entity === 'tenant';
}

function tenantIdsOf(records: readonly Incoming<CatalogRecord>[]): string[] {
  return [...new Set(records.map(({ value }) => value!.tenantId))];
}

/** The highest version of each tenant, and what became of its status on the way there. */
function latestStatuses(records: readonly Incoming<TenantRecord>[]): TenantStatus[] {
  const latest = new Map<string, TenantStatus>();
  for (const { value, timestampMs } of records) {
    const { tenantId, version, status, publishedAt } = value!;
    const before = latest.get(tenantId);
    if (before && before.version >= version) continue;
    const suspended = status === 'suspended';
    const isSame = before?.suspended === suspended;
    const since = isSame ? before.since : (dateOf(publishedAt) ?? new Date(timestampMs));
    const wasSuspended = before !== undefined && (before.wasSuspended || before.suspended);
    latest.set(tenantId, { tenantId, version, suspended, since, wasSuspended });
  }
  return [...latest.values()];
}

/** A day that there is not must not stop the partition. */
function toErasure({ value }: Incoming<CatalogRecord>): ErasureRecord[] {
  return value?.entity === 'erasure' && dateOf(value.erasedAt) ? [value] : [];
}

function toDelivery({ value, timestampMs, span }: Incoming<IssuanceRecord>): NewDelivery {
  const issuance = value!;
  // Both are facts of the log, so a rebuilt row has the same bytes.
  const issuedAt = dateOf(issuance.issuedAt) ?? new Date(timestampMs);
  return {
    webhookEventId: issuance.webhookEventId,
    tenantId: issuance.tenantId,
    issuanceId: issuance.issuanceId,
    rewardId: issuance.rewardId,
    recipientId: issuance.recipientId,
    body: buildWebhookBody(issuance, issuedAt),
    issuedAt,
    trace: span?.context,
  };
}

/** The highest version of each tenant's. */
function latestConfigs(records: readonly Incoming<WebhookEndpointRecord>[]): EndpointConfig[] {
  const latest = new Map<string, EndpointConfig>();
  for (const { value, timestampMs } of records) {
    const record = value!;
    const known = latest.get(record.tenantId);
    if (known && known.version >= record.version) continue;
    latest.set(record.tenantId, toConfig(record, timestampMs));
  }
  return [...latest.values()];
}

function toConfig(record: WebhookEndpointRecord, timestampMs: number): EndpointConfig {
  const { tenantId, version, status, url, username, sealedPassword, previous } = record;
  const until = previous && dateOf(previous.until);
  return {
    tenantId,
    version,
    status,
    url,
    username,
    sealedPassword,
    previous: previous && until ? { ...previous, until } : null,
    reason: record.reason ?? null,
    changedBy: record.changedBy ?? null,
    changedAt: dateOf(record.publishedAt) ?? new Date(timestampMs),
  };
}

/**
 * The schema knows the form of a time, not whether there is such a day. We never wrote one that
 * there is not; one from elsewhere must not stop its partition.
 */
function hasRealTimes({ value }: Incoming<DeliveryFact>): boolean {
  const fact = value!;
  const times = fact.type === 'attempted' ? [fact.startedAt, fact.nextAttemptAt] : [fact.at];
  return times.every((time) => time === undefined || dateOf(time) !== undefined);
}

function dateOf(text: string): Date | undefined {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

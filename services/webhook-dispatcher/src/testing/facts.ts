import {
  catalogSchemaVersion,
  type ErasureRecord,
  type WebhookEndpointRecord,
} from '@tributary/contracts/catalog-record';
import {
  type DeliveryExpiryRecord,
  type DeliveryFact,
  type DeliveryRecord,
  type DeliveryResendRecord,
  deliverySchemaVersion,
} from '@tributary/contracts/delivery-record';
import type { Incoming } from '@tributary/event-log/projection';
import { catalogSource, deliveriesSource } from '../log/apply-records.ts';
import { incoming, uuidOf } from './records.ts';

/** Facts of the deliveries topic, and an endpoint of the catalog, as specs need them. */
export function attempted(
  webhookEventId: string,
  changes: Partial<DeliveryRecord> = {},
): DeliveryRecord {
  const attempt = changes.attempt ?? 1;
  return {
    ...common(webhookEventId),
    type: 'attempted',
    attempt,
    step: attempt,
    outcome: 'failed',
    result: 'status',
    startedAt: '2026-03-01T10:00:00.000Z',
    durationMs: 10,
    ...changes,
  };
}

/** Accepted at the first attempt. */
export function delivered(
  webhookEventId: string,
  changes: Partial<DeliveryRecord> = {},
): DeliveryRecord {
  return attempted(webhookEventId, { outcome: 'delivered', statusCode: 200, ...changes });
}

export function expired(
  webhookEventId: string,
  changes: Partial<DeliveryExpiryRecord> = {},
): DeliveryExpiryRecord {
  return {
    ...common(webhookEventId),
    type: 'expired',
    attempts: 0,
    at: '2026-03-04T14:00:00.000Z',
    ...changes,
  };
}

export function resent(
  webhookEventId: string,
  changes: Partial<DeliveryResendRecord> = {},
): DeliveryResendRecord {
  return {
    ...common(webhookEventId),
    type: 'resent',
    round: 1,
    attempts: 0,
    by: 'ops@example.com',
    at: '2026-03-05T09:00:00.000Z',
    ...changes,
  };
}

export function endpointRecord(
  tenantId: string,
  changes: Partial<WebhookEndpointRecord> = {},
): WebhookEndpointRecord {
  return {
    schemaVersion: catalogSchemaVersion,
    tenantId,
    version: 1,
    publishedAt: '2026-02-01T00:00:00.000Z',
    entity: 'webhook-endpoint',
    url: 'https://receiver.example/hooks',
    username: 'hook-user',
    sealedPassword: 'v1.k1.aa.bb.cc',
    status: 'active',
    ...changes,
  };
}

export function erasure(userId: string, changes: Partial<ErasureRecord> = {}): ErasureRecord {
  const erasedAt = changes.erasedAt ?? '2026-03-02T00:00:00.000Z';
  return {
    schemaVersion: catalogSchemaVersion,
    tenantId: 't1',
    version: 1,
    publishedAt: erasedAt,
    entity: 'erasure',
    userId,
    erasedAt,
    ...changes,
  };
}

export function incomingFacts(...facts: DeliveryFact[]): Incoming[] {
  return facts.map((value) => incoming(deliveriesSource, value));
}

export function incomingErasures(...records: ErasureRecord[]): Incoming[] {
  return records.map((value) => incoming(catalogSource, value));
}

export function incomingEndpoints(...records: WebhookEndpointRecord[]): Incoming[] {
  return records.map((value) => incoming(catalogSource, value));
}

export function incomingTenant(
  tenantId: string,
  status: 'active' | 'suspended',
  version: number,
  publishedAt = '2026-03-01T12:00:00.000Z',
): Incoming {
  return incoming(catalogSource, {
    schemaVersion: catalogSchemaVersion,
    tenantId,
    version,
    publishedAt,
    entity: 'tenant',
    name: tenantId,
    status,
    productId: `p-${tenantId}`,
    defaultCampaignId: null,
  });
}

function common(webhookEventId: string) {
  return {
    schemaVersion: deliverySchemaVersion,
    tenantId: 't1',
    webhookEventId,
    issuanceId: uuidOf(`issuance-of-${webhookEventId}`),
    round: 0,
  };
}

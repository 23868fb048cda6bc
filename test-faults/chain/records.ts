import type { CampaignRule } from '@tributary/contracts/campaign-rule';
import {
  type CampaignRevisionRecord,
  catalogSchemaVersion,
  type TenantRecord,
} from '@tributary/contracts/catalog-record';
import type { CodeRecord } from '@tributary/contracts/code-record';
import {
  type DemoAttendedEvent,
  eventSchemaVersion,
  type Payment,
  type PurchaseCreatedEvent,
  type PurchaseRefundedEvent,
  type SignupCreatedEvent,
} from '@tributary/contracts/event-record';
import { parseTimestamp } from '@tributary/contracts/rfc3339';

/** Records as the services write them; what a test does not care about has a plain value. */
export type EventDetails = {
  /** Numbers the event: its id. */
  n: number;
  tenantId?: string;
  userId: string;
  ucc: string;
  source?: 'v2' | 'legacy' | 'processor' | 'widget';
  occurredAt: string;
  receivedAt?: string;
};

export const startOfTime = '2025-01-01T00:00:00.000Z';

export function signup(details: EventDetails): SignupCreatedEvent {
  return { ...common(details), eventType: 'signup-created' };
}

export function demo(details: EventDetails): DemoAttendedEvent {
  return { ...common(details), eventType: 'demo-attended' };
}

export function purchase(details: EventDetails & { payment: Payment }): PurchaseCreatedEvent {
  return { ...common(details), eventType: 'purchase-created', purchase: details.payment };
}

export function refund(details: EventDetails & { payment: Payment }): PurchaseRefundedEvent {
  return { ...common(details), eventType: 'purchase-refunded', refund: details.payment };
}

export function codeOf(
  details: Pick<CodeRecord, 'tenantId' | 'ucc' | 'campaignId' | 'productUserId'> & { at?: string },
): CodeRecord {
  return { schemaVersion: 1, type: 'code-issued', version: 1, at: startOfTime, ...details };
}

export function revisionOf(
  details: Partial<CampaignRevisionRecord> & {
    tenantId: string;
    campaignId: string;
    rules: CampaignRule[];
  },
): CampaignRevisionRecord {
  return {
    schemaVersion: catalogSchemaVersion,
    entity: 'campaign-revision',
    version: 1,
    publishedAt: startOfTime,
    revision: 1,
    name: details.campaignId,
    status: 'running',
    effectiveFrom: startOfTime,
    landingUrl: 'https://example.com/join',
    creditScale: 2,
    ...details,
  };
}

/** Revisions of a campaign that rewards the referrer of a purchase with so many credits. */
export function purchaseRevisions(campaign: { tenantId: string; campaignId: string }) {
  return (revision: number, credits: string, effectiveFrom?: string): CampaignRevisionRecord => {
    const rule: CampaignRule = {
      ruleId: 'purchase',
      trigger: 'purchase-created',
      recipient: 'referrer',
      effect: { kind: 'fixed', credits },
    };
    return revisionOf({
      ...{ ...campaign, revision, rules: [rule] },
      ...(effectiveFrom !== undefined && { effectiveFrom, publishedAt: effectiveFrom }),
    });
  };
}

export function tenantOf(details: Partial<TenantRecord> & { tenantId: string }): TenantRecord {
  return {
    schemaVersion: catalogSchemaVersion,
    entity: 'tenant',
    version: 1,
    publishedAt: startOfTime,
    name: details.tenantId,
    status: 'active',
    productId: `product-${details.tenantId}`,
    defaultCampaignId: null,
    ...details,
  };
}

function common({
  n,
  tenantId = 't1',
  userId,
  ucc,
  source = 'v2',
  occurredAt,
  receivedAt,
}: EventDetails) {
  const instant = parseTimestamp(occurredAt);
  if (!instant) throw new Error(`not a timestamp: ${occurredAt}`);
  return {
    schemaVersion: eventSchemaVersion,
    eventId: `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`,
    tenantId,
    source,
    receivedAt: receivedAt ?? new Date(instant.epochMs + 1_000).toISOString(),
    occurredAt,
    occurredAtSeconds: instant.seconds,
    ucc,
    newUser: { id: userId },
  };
}

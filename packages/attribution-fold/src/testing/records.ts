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

/** Builders of the records that attribution reads; every member has a plain default. */
type Shape = {
  tenantId?: string;
  userId?: string;
  ucc?: string;
  source?: 'v2' | 'legacy' | 'processor' | 'widget';
  occurredAt?: string;
  occurredAtRaw?: string;
  receivedAt?: string;
};

export function eventIdOf(n: number): string {
  return `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;
}

type PaymentShape = Shape & {
  invoiceId?: string | null;
  aliases?: string[];
  amount?: number;
  currency?: string;
};

/** Purchase number `n`, by default of user `user_n`, invoice `inv_n`, with anna's code. */
export function purchase(n: number, shape: PaymentShape = {}): PurchaseCreatedEvent {
  return {
    ...commonOf(n, shape),
    eventType: 'purchase-created',
    purchase: paymentOf(n, shape),
  };
}

export function signup(n: number, shape: Shape = {}): SignupCreatedEvent {
  return { ...commonOf(n, shape), eventType: 'signup-created' };
}

export function demo(n: number, shape: Shape = {}): DemoAttendedEvent {
  return { ...commonOf(n, shape), eventType: 'demo-attended' };
}

/** A refund of invoice `inv_<n>`. */
export function refund(
  n: number,
  shape: PaymentShape & { refundId?: string } = {},
): PurchaseRefundedEvent {
  const { refundId } = shape;
  return {
    ...commonOf(n, shape),
    eventType: 'purchase-refunded',
    refund: { ...paymentOf(n, shape), ...(refundId !== undefined && { refundId }) },
  };
}

/** Anna's code `anna-code` in campaign `c1`. */
export function code(overrides: Partial<CodeRecord> = {}): CodeRecord {
  return {
    schemaVersion: 1,
    type: 'code-issued',
    tenantId: 't1',
    ucc: 'anna-code',
    version: 1,
    campaignId: 'c1',
    productUserId: 'anna',
    at: '2026-01-01T00:00:00.000Z',
    ...overrides,
  };
}

/** Revision 1 of campaign `c1`, running from the beginning of 2026. */
export function revision(overrides: Partial<CampaignRevisionRecord> = {}): CampaignRevisionRecord {
  return {
    schemaVersion: catalogSchemaVersion,
    entity: 'campaign-revision',
    tenantId: 't1',
    version: 1,
    publishedAt: '2026-01-01T00:00:00.000Z',
    campaignId: 'c1',
    revision: 1,
    name: 'Spring',
    status: 'running',
    effectiveFrom: '2026-01-01T00:00:00.000Z',
    landingUrl: 'https://example.com/join',
    creditScale: 2,
    rules: [],
    ...overrides,
  };
}

/** Version 1 of tenant `t1`, in mode `event-code`. */
export function tenant(overrides: Partial<TenantRecord> = {}): TenantRecord {
  return {
    schemaVersion: catalogSchemaVersion,
    entity: 'tenant',
    tenantId: 't1',
    version: 1,
    publishedAt: '2026-01-01T00:00:00.000Z',
    name: 'Shop',
    status: 'active',
    productId: 'shop',
    defaultCampaignId: null,
    ...overrides,
  };
}

function paymentOf(n: number, shape: PaymentShape): Payment {
  const { invoiceId = `inv_${n}`, amount = 4900, currency = 'EUR', aliases } = shape;
  return {
    currency,
    amount,
    ...(invoiceId !== null && { invoiceId }),
    ...(aliases !== undefined && { aliases }),
  };
}

function commonOf(n: number, shape: Shape) {
  const { tenantId = 't1', userId = `user_${n}`, ucc = 'anna-code', source = 'v2' } = shape;
  const { occurredAt = '2026-03-01T10:00:00Z', receivedAt = '2026-03-01T10:00:01.000Z' } = shape;
  const instant = parseTimestamp(occurredAt);
  if (!instant) throw new Error(`not a timestamp: ${occurredAt}`);
  return {
    schemaVersion: eventSchemaVersion,
    eventId: eventIdOf(n),
    tenantId,
    source,
    receivedAt,
    occurredAt,
    occurredAtSeconds: instant.seconds,
    ...(shape.occurredAtRaw !== undefined && { occurredAtRaw: shape.occurredAtRaw }),
    ucc,
    newUser: { id: userId },
  };
}

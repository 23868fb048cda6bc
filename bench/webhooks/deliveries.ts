import { derivedId } from '@tributary/contracts/derived-id';
import { type IssuanceRecord, issuanceSchemaVersion } from '@tributary/contracts/issuance-record';
import { buildWebhookBody } from '../../services/webhook-dispatcher/src/domain/payload.ts';

/** One webhook to send. */
export type Delivery = {
  /** Number of the endpoint that it goes to. */
  endpoint: number;
  issuance: IssuanceRecord;
  webhookEventId: string;
  /** The bytes that every system sends. */
  body: string;
};

export function tenantOf(endpoint: number): string {
  return `tenant-${endpoint}`;
}

/** The `n`th of a series: the same whoever makes it. */
export function makeDelivery(series: string, n: number, endpoint: number): Delivery {
  const webhookEventId = derivedId('webhook-event', series, n);
  const issuance: IssuanceRecord = {
    schemaVersion: issuanceSchemaVersion,
    type: 'issued',
    issuanceId: derivedId('issuance', series, n),
    rewardId: derivedId('reward', series, n),
    tenantId: tenantOf(endpoint),
    campaignId: 'campaign',
    recipientId: `referrer-${n % 5_000}`,
    rewardType: 'credits',
    credits: '12.50',
    issuedAt: new Date().toISOString(),
    webhookEventId,
  };
  const body = buildWebhookBody(issuance, new Date(issuance.issuedAt)).toString();
  return { endpoint, issuance, webhookEventId, body };
}

/** Deliveries to all endpoints in turn: no system has to wait for one that comes late. */
export function makeDeliveries(series: string, count: number, endpoints: number): Delivery[] {
  return Array.from({ length: count }, (_, n) => makeDelivery(series, n, n % endpoints));
}

import type { Static } from '@sinclair/typebox';
import type { WebhookEndpoint } from '@tributary/contracts/admin/webhook-answers';
import type { WebhookEndpointRow } from '../db/webhook-endpoints.ts';
import { runningOverlap } from './store-webhook.ts';

/** What an operator may see of an endpoint: everything but passwords. */
export type WebhookDescription = Static<typeof WebhookEndpoint>;

export function describeWebhook(
  row: Omit<WebhookEndpointRow, 'version'>,
  now: Date,
): WebhookDescription {
  const { url, username, status, reason, changedBy, changedAt } = row;
  const overlap = runningOverlap(row.previous, now);
  return {
    url,
    username,
    status,
    ...(reason !== undefined && { reason }),
    ...(changedBy !== undefined && { changedBy }),
    changedAt: changedAt.toISOString(),
    ...(overlap && { credentialsOverlapUntil: overlap.until.toISOString() }),
  };
}

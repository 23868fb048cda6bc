import type { ProcessorConnectionRecord } from '@tributary/contracts/catalog-record';
import { createHash } from 'node:crypto';
import type { Refusal, StripeAccount, StripeApi, WebhookEndpoint } from '../stripe/api.ts';

/** Where Stripe sends the events of a connection. */
export function webhookUrl(publicUrl: string, connectionId: string): string {
  return `${publicUrl}/processor/stripe/${connectionId}`;
}

/**
 * Whether it belongs to this connection: made for it, or by hand with its URL, which no other
 * connection has.
 */
export function isOwn(
  endpoint: WebhookEndpoint,
  { connectionId, url }: { connectionId: string; url: string },
): boolean {
  return endpoint.connectionId === connectionId || endpoint.url === url;
}

export function endpointIdsOf(record: ProcessorConnectionRecord | undefined): string[] {
  const ids = [record?.endpoint?.id, record?.previous?.id];
  return ids.filter((id) => id !== undefined);
}

/**
 * Makes an endpoint, or finds the one that an attempt before has made: `attempt` names what it is
 * made for, and Stripe repeats its answer to the same attempt, with the secret that it tells only
 * then. Somebody may have removed that endpoint since; then another one is made.
 */
export async function makeEndpoint(
  stripe: StripeApi,
  account: StripeAccount,
  { url, attempt }: { url: string; attempt: string },
): Promise<Made | Refusal> {
  const { connectionId, apiVersion } = account;
  const key = ['endpoint', connectionId, url, apiVersion, attempt];
  const digest = createHash('sha256').update(JSON.stringify(key)).digest('hex');
  const made = await stripe.endpoints.create(account, { url, idempotencyKey: digest });
  if (made.outcome !== 'endpoint') return made;
  const listed = await stripe.endpoints.list(account);
  if (listed.outcome !== 'endpoints') return listed;
  const others = listed.endpoints.filter((each) => each.id !== made.endpoint.id);
  const isThere = others.length < listed.endpoints.length;
  if (isThere) return { ...made, others };
  const again = { url, idempotencyKey: `${digest}-after-${made.endpoint.id}` };
  const remade = await stripe.endpoints.create(account, again);
  if (remade.outcome !== 'endpoint') return remade;
  return { ...remade, others: others.filter((each) => each.id !== remade.endpoint.id) };
}

type Made = {
  outcome: 'endpoint';
  endpoint: WebhookEndpoint;
  secret: string | null;
  /** All other endpoints of the account. */
  others: WebhookEndpoint[];
};

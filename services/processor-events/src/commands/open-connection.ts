import type { processorServiceRoutes } from '@tributary/contracts/admin/processor';
import type { DeclaredReply } from '@tributary/http/declared-route';
import { notNow, ok } from '@tributary/http/internal-replies';
import type { StripeAccount, StripeApi, WebhookEndpoint } from '../stripe/api.ts';
import { usedKinds } from '../domain/kinds.ts';
import { isOwn, makeEndpoint } from './own-endpoints.ts';
import { conflict, replyOf } from './reply.ts';

type Reply = DeclaredReply<(typeof processorServiceRoutes)['openConnection']>;

export type OpenBody = { apiKey: string; apiVersion: string; url: string; endpointId?: string };

/**
 * Connects an account: looks at its key, and makes the webhook endpoint or takes the one that was
 * made by hand. Asked again after a crash it has the same answer. Nothing is kept here; the key
 * and the secret go back to the portal, which seals them.
 */
export async function openConnection(
  { stripe, livemode }: { stripe: StripeApi; livemode: boolean },
  connectionId: string,
  { apiKey, apiVersion, url, endpointId }: OpenBody,
): Promise<Reply> {
  const keyMode = livemodeOfKey(apiKey);
  if (keyMode === undefined) {
    const detail = 'apiKey must be a restricted or a secret key of Stripe (rk_... or sk_...).';
    return { problem: 'VALIDATION_ERROR', detail };
  }
  if (keyMode !== livemode) return conflict(otherMode(livemode));
  const account = { connectionId, apiKey, apiVersion };
  const notPermitted = await lookAtPermissions(stripe, account);
  if (notPermitted) return notPermitted;
  return endpointId === undefined
    ? openNew(stripe, account, { url, livemode })
    : openByHand(stripe, account, { url, livemode, endpointId });
}

async function lookAtPermissions(
  stripe: StripeApi,
  account: StripeAccount,
): Promise<Reply | undefined> {
  const permissions = await stripe.permissions(account);
  const refused = permissions.filter(({ allowed }) => !allowed);
  const rejected = refused.find(({ keyRejected }) => keyRejected);
  if (rejected) {
    const { detail } = rejected;
    return replyOf({ outcome: 'refused', because: 'key-rejected', detail });
  }
  const [first] = refused;
  if (first) {
    const names = [...new Set(refused.map(({ resource }) => resource))].join(', ');
    return conflict(
      `The API key may not read: ${names}. Give it these permissions in Stripe's dashboard ` +
        `(and Webhook Endpoints for writing), then connect again. ${first.detail}`,
    );
  }
  const unknown = permissions.find(({ known }) => !known);
  return unknown && notNow(`Stripe could not be asked; try again. ${unknown.detail}`);
}

async function openNew(
  stripe: StripeApi,
  account: StripeAccount,
  { url, livemode }: { url: string; livemode: boolean },
): Promise<Reply> {
  const made = await makeEndpoint(stripe, account, { url, attempt: 'open' });
  if (made.outcome !== 'endpoint') return replyOf(made);
  const { endpoint, secret, others } = made;
  if (endpoint.livemode !== livemode) {
    await stripe.endpoints.remove(account, endpoint.id);
    return conflict(otherMode(livemode));
  }
  // Left from an attempt so long ago that Stripe does not return the secret any more.
  const left = others.filter(({ connectionId }) => connectionId === account.connectionId);
  for (const { id } of left) {
    const removed = await stripe.endpoints.remove(account, id);
    if (removed.outcome !== 'removed') return replyOf(removed);
  }
  return ok({ livemode, endpoint: { id: endpoint.id, secret } });
}

async function openByHand(
  stripe: StripeApi,
  account: StripeAccount,
  { url, livemode, endpointId }: { url: string; livemode: boolean; endpointId: string },
): Promise<Reply> {
  const listed = await stripe.endpoints.list(account);
  if (listed.outcome !== 'endpoints') return replyOf(listed);
  const endpoint = listed.endpoints.find(({ id }) => id === endpointId);
  if (!endpoint)
    return conflict(`The Stripe account of this key has no webhook endpoint ${endpointId}.`);
  const { connectionId } = account;
  const mistake = mistakeOf(endpoint, { url, livemode, connectionId });
  if (mistake !== undefined) return conflict(mistake);
  return ok({ livemode, endpoint: { id: endpointId, secret: null } });
}

function mistakeOf(
  endpoint: WebhookEndpoint,
  { url, livemode, connectionId }: { url: string; livemode: boolean; connectionId: string },
): string | undefined {
  if (endpoint.livemode !== livemode) return otherMode(livemode);
  if (!isOwn(endpoint, { connectionId, url }) || endpoint.url !== url) {
    return `The webhook endpoint must send to ${url}; change its URL in Stripe's dashboard.`;
  }
  const missing = missingKinds(endpoint);
  if (missing.length > 0) {
    return `The webhook endpoint does not send ${missing.join(', ')}; add it in Stripe's dashboard.`;
  }
  return undefined;
}

export function missingKinds({ kinds }: WebhookEndpoint): string[] {
  return kinds.includes('*') ? [] : usedKinds.filter((kind) => !kinds.includes(kind));
}

/**
 * Stripe says it in the key: live, or of a test mode or sandbox. Undefined: no key for a server.
 */
export function livemodeOfKey(apiKey: string): boolean | undefined {
  const [, mode] = /^(?:rk|sk)_(live|test)_[A-Za-z0-9_]{1,400}$/.exec(apiKey) ?? [];
  return mode === undefined ? undefined : mode === 'live';
}

function otherMode(livemode: boolean): string {
  return livemode
    ? 'This is a test key, and this deployment accepts live payments; connect with a live key.'
    : 'This is a live key, and this deployment is a sandbox; connect with a key of a test mode.';
}

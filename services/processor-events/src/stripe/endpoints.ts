import { randomUUID } from 'node:crypto';
import { usedKinds } from '../domain/kinds.ts';
import type { StripeAccount, StripeApi, WebhookEndpoint } from './api.ts';
import { segmentOf, type StripeAnswer, type StripeClient } from './client.ts';
import { memberOf, readWholeList, textOf } from './read-list.ts';

/** Which connection an endpoint is of, as metadata of the endpoint. */
const connectionKey = 'tributary_connection';

/** The webhook endpoints of an account: all that is ever written at Stripe. */
export function createEndpoints(client: StripeClient): StripeApi['endpoints'] {
  return {
    async list(account) {
      const answer = await readWholeList(client, account, { path: 'webhook_endpoints' });
      if (answer.outcome === 'absent') return { outcome: 'endpoints', endpoints: [] };
      if (answer.outcome !== 'items') return answer;
      return { outcome: 'endpoints', endpoints: answer.items.flatMap(endpointOf) };
    },

    async create(account, { url, idempotencyKey }) {
      const first = await post(account, url, idempotencyKey);
      // What Stripe failed at before it goes on repeating for a day
      // (docs.stripe.com/api/idempotent_requests).
      const isOldFailure =
        first.outcome !== 'raw' && 'replayed' in first && first.replayed === true;
      const answer = isOldFailure
        ? await post(account, url, `${idempotencyKey}-${randomUUID()}`)
        : first;
      if (answer.outcome === 'absent') {
        return { outcome: 'refused', detail: 'Stripe does not have webhook endpoints.' };
      }
      if (answer.outcome !== 'raw') return answer;
      const [endpoint] = endpointOf(answer.raw);
      if (!endpoint) {
        return { outcome: 'later', detail: 'Stripe did not answer with a webhook endpoint.' };
      }
      const secret = textOf(answer.raw, 'secret') ?? null;
      return { outcome: 'endpoint', endpoint, secret: secret === '' ? null : secret };
    },

    async remove(account, id) {
      const segment = segmentOf(id);
      if (segment === undefined) return { outcome: 'removed' };
      const answer = await client.remove(account, `webhook_endpoints/${segment}`);
      return answer.outcome === 'raw' || answer.outcome === 'absent'
        ? { outcome: 'removed' }
        : answer;
    },
  };

  function post(
    account: StripeAccount,
    url: string,
    idempotencyKey: string,
  ): Promise<StripeAnswer> {
    const { connectionId, apiVersion } = account;
    const params = {
      url,
      enabled_events: [...usedKinds],
      api_version: apiVersion,
      description: 'Payments for referral attribution.',
      metadata: { [connectionKey]: connectionId },
    };
    return client.post(account, 'webhook_endpoints', { params, idempotencyKey });
  }
}

function endpointOf(raw: unknown): WebhookEndpoint[] {
  const [id, url] = [textOf(raw, 'id'), textOf(raw, 'url')];
  if (id === undefined || url === undefined) return [];
  const kinds: unknown = memberOf(raw, 'enabled_events');
  const created = memberOf(raw, 'created');
  return [
    {
      ...{ id, url, enabled: textOf(raw, 'status') === 'enabled' },
      kinds: Array.isArray(kinds) ? kinds.filter((kind) => typeof kind === 'string') : [],
      apiVersion: textOf(raw, 'api_version') ?? null,
      livemode: memberOf(raw, 'livemode') === true,
      connectionId: textOf(memberOf(raw, 'metadata'), connectionKey) ?? null,
      createdAt: typeof created === 'number' ? created : 0,
    },
  ];
}

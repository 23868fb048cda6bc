import type { WebhookEndpointRecord } from '@tributary/contracts/catalog-record';
import { secretContext } from '@tributary/contracts/secret-context';
import { type KeyRing, openSecret } from '@tributary/runtime/secrets';
import type { ExchangeEnd } from '../../domain/outcome.ts';
import { targetOf } from '../../domain/target.ts';
import type { Exchange } from './exchange.ts';

export type ServiceEnvironment = 'prod' | 'sandbox';

/**
 * Sends the stored bytes of a delivery to the endpoint as it is configured now (interface 6.1).
 *
 * @throws when the endpoint's password cannot be opened: that is our key ring, not the customer's
 * endpoint, so it must not use up an attempt.
 */
export function createDeliverySender(options: {
  exchange: Exchange;
  secrets: KeyRing;
  environment: ServiceEnvironment;
}): SendDelivery {
  const { exchange, secrets, environment } = options;

  return async ({ body, attempt }, endpoint) => {
    const target = targetOf(endpoint.url, environment);
    if (target.outcome === 'blocked') return { end: 'no-answer', result: 'blocked' };
    const context = secretContext(endpoint.tenantId, 'webhook-password');
    const password = openSecret(secrets, endpoint.sealedPassword, context);
    return exchange.post({
      origin: target.origin,
      path: target.path,
      headers: {
        authorization: `Basic ${Buffer.from(`${endpoint.username}:${password}`).toString('base64')}`,
        'content-type': 'application/json; charset=utf-8',
        'x-service-env': environment,
        'user-agent': 'Tributary-Webhooks/1.0',
        'x-tributary-attempt': String(attempt),
      },
      body,
    });
  };
}

export type SendDelivery = (
  delivery: { body: Buffer; attempt: number },
  endpoint: WebhookEndpointRecord,
) => Promise<ExchangeEnd>;

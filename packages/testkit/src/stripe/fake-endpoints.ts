import { randomBytes } from 'node:crypto';
import type { EndpointState } from './account-state.ts';
import type { StripeShape } from './api-version.ts';
import { listOf, membersOf, refuseUnknown, type StripeRequest } from './fake-request.ts';
import { fixture, type Json } from './fixtures.ts';
import { shapeEndpoint } from './shape-payment.ts';
import type { StripeAccount } from './stripe-account.ts';
import { noSuch, StripeRefusal } from './stripe-refusal.ts';

/** As at Stripe, for the endpoints of one mode. */
const mostEndpoints = 16;

export function createEndpoint(
  account: StripeAccount,
  request: StripeRequest,
  options: { shape: StripeShape; givesSecrets: boolean },
): Json {
  const { store } = account;
  const { form } = request;
  refuseUnknown(form, [
    'url',
    'enabled_events',
    'api_version',
    'description',
    'metadata',
    'connect',
  ]);
  const { url, api_version: apiVersion = null, description = null } = form;
  const enabledEvents = listOf(form, 'enabled_events');
  if (url === undefined) throw missing('url');
  if (enabledEvents.length === 0) throw missing('enabled_events');
  requireUrl(url);
  if (apiVersion !== null && !/^\d{4}-\d{2}-\d{2}(\.[a-z]+)?$/.test(apiVersion)) {
    const message = `Invalid API version: ${apiVersion}`;
    throw new StripeRefusal(400, { message, param: 'api_version' });
  }
  if (store.endpoints.size >= mostEndpoints) {
    const message = `You have reached the maximum of ${mostEndpoints} webhook endpoints.`;
    throw new StripeRefusal(400, { message });
  }
  const endpoint: EndpointState = {
    ...{ id: account.newId('we'), created: account.now(), url, enabledEvents, apiVersion },
    ...{ description, metadata: membersOf(form, 'metadata'), status: 'enabled' },
    secret: `whsec_${randomBytes(24).toString('base64url').replaceAll(/[-_]/g, 'x')}`,
  };
  store.endpoints.set(endpoint.id, endpoint);
  const shaped = shapeEndpoint({ store, shape: options.shape }, endpoint);
  return options.givesSecrets ? { ...shaped, secret: endpoint.secret } : shaped;
}

export function updateEndpoint(
  account: StripeAccount,
  id: string,
  { form }: StripeRequest,
  shape: StripeShape,
): Json {
  const endpoint = endpointOf(account, id);
  refuseUnknown(form, ['url', 'enabled_events', 'description', 'metadata', 'disabled']);
  const enabledEvents = listOf(form, 'enabled_events');
  if (form['url'] !== undefined) requireUrl(form['url']);
  Object.assign(endpoint, {
    url: form['url'] ?? endpoint.url,
    description: form['description'] ?? endpoint.description,
    enabledEvents: enabledEvents.length === 0 ? endpoint.enabledEvents : enabledEvents,
    metadata: { ...endpoint.metadata, ...membersOf(form, 'metadata') },
  });
  if (form['disabled'] !== undefined) {
    endpoint.status = form['disabled'] === 'true' ? 'disabled' : 'enabled';
  }
  return shapeEndpoint({ store: account.store, shape }, endpoint);
}

export function deleteEndpoint(account: StripeAccount, id: string, shape: StripeShape): Json {
  endpointOf(account, id);
  account.store.endpoints.delete(id);
  return fixture(shape, 'deleted_webhook_endpoint', { id });
}

function endpointOf({ store }: StripeAccount, id: string): EndpointState {
  const endpoint = store.endpoints.get(id);
  if (endpoint === undefined) throw noSuch('webhook endpoint', id);
  return endpoint;
}

function requireUrl(url: string): void {
  if (URL.canParse(url) && /^https?:/.test(url)) return;
  throw new StripeRefusal(400, { message: 'Invalid URL', code: 'url_invalid', param: 'url' });
}

function missing(param: string): StripeRefusal {
  const message = `Missing required param: ${param}.`;
  return new StripeRefusal(400, { message, code: 'parameter_missing', param });
}

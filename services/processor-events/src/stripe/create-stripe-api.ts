import type { StripeApi } from './api.ts';
import { createStripeClient, type StripeClientSettings } from './client.ts';
import { createEndpoints } from './endpoints.ts';
import { fetchObject } from './fetch-object.ts';
import { listObjects } from './list-objects.ts';
import { readPermissions } from './permissions.ts';

/** @param settings.timeoutMs For each exchange; a list is several. */
export function createStripeApi(settings: StripeClientSettings): StripeApi {
  const client = createStripeClient(settings);
  return {
    fetch: (account, need) => fetchObject(client, account, need),
    list: (account, asked) => listObjects(client, account, asked),
    endpoints: createEndpoints(client),
    permissions: (account) => readPermissions(client, account),
  };
}

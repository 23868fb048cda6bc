import type { StripeApi } from './api.ts';
import { createStripeClient } from './client.ts';
import { createEndpoints } from './endpoints.ts';
import { fetchObject } from './fetch-object.ts';
import { listObjects } from './list-objects.ts';
import { readPermissions } from './permissions.ts';

/** @param settings.timeoutMs For each exchange; a list is several. */
export function createStripeApi(settings: { url: string; timeoutMs: number }): StripeApi {
  const client = createStripeClient(settings);
  return {
    fetch: (account, need) => fetchObject(client, account, need),
    list: (account, asked) => listObjects(client, account, asked),
    endpoints: createEndpoints(client),
    permissions: (account) => readPermissions(client, account),
  };
}

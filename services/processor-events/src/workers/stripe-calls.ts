import type { ProcessorConnectionRecord } from '@tributary/contracts/catalog-record';
import type { KeyRing } from '@tributary/runtime/secrets';
import type { Refusal, StripeAccount, StripeApi } from '../stripe/api.ts';
import { accountOf } from '../stripe/account-of.ts';
import type { FetchNeed } from './fetch-worker.ts';
import type { RemoveEndpoint } from './maintenance.ts';

export type StripeCalls = { fetch: FetchNeed; removeEndpoint: RemoveEndpoint };

/** What is asked of Stripe for a connection of the catalog, with its key. */
export function createStripeCalls({
  stripe,
  secrets,
}: {
  stripe: Pick<StripeApi, 'fetch' | 'endpoints'>;
  secrets: KeyRing;
}): StripeCalls {
  function withAccount<T>(
    record: ProcessorConnectionRecord,
    ask: (account: StripeAccount) => Promise<T>,
  ): Promise<T | Refusal> {
    const account = accountOf(record, secrets);
    return account ? ask(account) : Promise.resolve(disconnected);
  }

  return {
    fetch: (record, need) => withAccount(record, (account) => stripe.fetch(account, need)),
    removeEndpoint: (record, id) =>
      withAccount(record, (account) => stripe.endpoints.remove(account, id)),
  };
}

const disconnected: Refusal = {
  outcome: 'refused',
  because: 'key-rejected',
  detail: 'The connection is disconnected.',
};

import type { processorServiceRoutes } from '@tributary/contracts/admin/processor';
import type { ProcessorConnectionRecord } from '@tributary/contracts/catalog-record';
import type { DeclaredReply } from '@tributary/http/declared-route';
import { ok } from '@tributary/http/internal-replies';
import type { StripeAccount, StripeApi } from '../stripe/api.ts';
import { endpointIdsOf, isOwn } from './own-endpoints.ts';
import { replyOf } from './reply.ts';

type Reply = DeclaredReply<(typeof processorServiceRoutes)['closeConnection']>;

/** Removes every endpoint of this connection at Stripe; the others of the account stay. */
export async function closeConnection(
  stripe: StripeApi,
  {
    account,
    record,
    url,
  }: { account: StripeAccount; record: ProcessorConnectionRecord | undefined; url: string },
): Promise<Reply> {
  const listed = await stripe.endpoints.list(account);
  if (listed.outcome !== 'endpoints') return replyOf(listed);
  const { connectionId } = account;
  const own = listed.endpoints.filter((endpoint) => isOwn(endpoint, { connectionId, url }));
  const ids = new Set([...endpointIdsOf(record), ...own.map(({ id }) => id)]);
  const removed: string[] = [];
  for (const id of ids) {
    const answer = await stripe.endpoints.remove(account, id);
    if (answer.outcome !== 'removed') return replyOf(answer);
    removed.push(id);
  }
  return ok({ removed });
}

import type { processorServiceRoutes } from '@tributary/contracts/admin/processor';
import type { ProcessorConnectionRecord } from '@tributary/contracts/catalog-record';
import type { DeclaredReply } from '@tributary/http/declared-route';
import { notNow, ok } from '@tributary/http/internal-replies';
import type { Clock } from '@tributary/runtime/clock';
import type { StripeAccount, StripeApi } from '../stripe/api.ts';
import { endpointIdsOf, makeEndpoint } from './own-endpoints.ts';
import { replyOf } from './reply.ts';

type Reply = DeclaredReply<(typeof processorServiceRoutes)['renewEndpoint']>;

/**
 * Makes a second endpoint beside the present one, for a new signing secret. Asked again while the
 * connection has the same present endpoint, it has the same answer: a portal that died before it
 * had written the new one finds it again.
 */
export async function renewEndpoint(
  { stripe, clock }: { stripe: StripeApi; clock: Clock },
  {
    record,
    account,
    url,
  }: { record: ProcessorConnectionRecord; account: StripeAccount; url: string },
  /** The present one as the portal knows it. */
  presentId: string | undefined,
): Promise<Reply> {
  const present = record.endpoint?.id;
  if (presentId !== undefined && presentId !== present) {
    return notNow('The last change of this connection has not been read yet; try again.');
  }
  const made = await makeEndpoint(stripe, account, { url, attempt: `after ${present ?? 'none'}` });
  if (made.outcome !== 'endpoint') return replyOf(made);
  const { endpoint, secret, others } = made;

  // An endpoint that nobody knows the secret of: its events are refused for ever.
  const known = new Set(endpointIdsOf(record));
  const oldest = clock.now().getTime() / 1_000 - forgottenAfterSeconds;
  const forgotten = others.filter(
    ({ id, connectionId, createdAt }) =>
      connectionId === account.connectionId && !known.has(id) && createdAt < oldest,
  );
  for (const { id } of forgotten) await stripe.endpoints.remove(account, id);
  return ok({ endpoint: { id: endpoint.id, secret } });
}

/** No change of a connection takes so long to be read. */
const forgottenAfterSeconds = 2 * 86_400;

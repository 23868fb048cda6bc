import { processorRoutes } from '@tributary/contracts/admin/processor';
import type { ProcessorConnectionRecord } from '@tributary/contracts/catalog-record';
import { AppendRefused } from '@tributary/event-log/appender';
import { declaredRoute } from '@tributary/http/declared-route';
import { notNow, ok, wrongCursor } from '@tributary/http/internal-replies';
import type { InternalProblem, InternalRoute } from '@tributary/http/internal-router';
import type { StripeAccount } from '../stripe/api.ts';
import type { FindConnection } from '../commands/find-connection.ts';
import { StripeRefuses } from '../commands/reconcile/ask-stripe.ts';
import { createReconcilePage, type Reconciled } from '../commands/reconcile/reconcile-page.ts';
import { firstPlace, type Place, placeOf } from '../commands/reconcile/walk.ts';

/** One page of a walk over what Stripe has, as the portal asks for it. */
export function createReconcileRoutes(
  options: Parameters<typeof createReconcilePage>[0] & {
    findConnection: FindConnection;
    /** With its key; undefined when it has none any more. */
    accountOf: (connection: ProcessorConnectionRecord) => StripeAccount | undefined;
    /** The log was read to its end: before, all that is on it would be missing. */
    mayRead: () => boolean;
  },
): InternalRoute[] {
  const { findConnection, accountOf, mayRead } = options;
  const reconcilePage = createReconcilePage(options);

  return [
    // Each may be a hundred questions; they are for people.
    declaredRoute(processorRoutes.reconcileConnection.asks, { atOnce: 4 })(
      async ({ params: { tenantId, connectionId }, body }) => {
        const connection = await findConnection(connectionId);
        if (connection?.tenantId !== tenantId) return noSuchConnection;
        const account = connection.status === 'active' ? accountOf(connection) : undefined;
        if (!account) return isDisconnected;
        const { kind, append, lookBackDays = defaultLookBackDays, cursor } = body;
        const since = Math.ceil(Date.parse(body.since) / 1_000);
        const place: Place | undefined = cursor === undefined ? firstPlace : placeOf(cursor);
        if (!place) return wrongCursor('walk');
        if (!mayRead()) return notNow('The log is still being read; try again later.');
        const walk = { kind, since: Math.max(0, since), lookBackDays };
        return reply(() => reconcilePage({ connection, account, append }, walk, place));
      },
    ),
  ];
}

/** An invoice that is open for longer is rarely paid at all. */
const defaultLookBackDays = 60;

async function reply(
  work: () => Promise<Reconciled>,
): Promise<{ status: number; body: Reconciled } | InternalProblem> {
  try {
    return ok(await work());
  } catch (error) {
    if (error instanceof AppendRefused) {
      return notNow('The log does not take anything now; try again later.');
    }
    if (!(error instanceof StripeRefuses)) throw error;
    const { outcome, detail } = error.refusal;
    return outcome === 'later'
      ? notNow(`Stripe cannot be asked now: ${detail}`)
      : { problem: 'CONFLICT', detail: `Stripe refuses: ${detail}` };
  }
}

const noSuchConnection: InternalProblem = {
  problem: 'NOT_FOUND',
  detail: 'This tenant has no such connection.',
};
const isDisconnected: InternalProblem = {
  problem: 'CONFLICT',
  detail: 'The connection is disconnected: there is no key to ask Stripe with.',
};

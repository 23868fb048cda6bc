import type {
  ParamsOf,
  ServiceAnswerOf,
  ServiceRoute,
} from '@tributary/contracts/admin/admin-route';
import { processorRoutes, processorServiceRoutes } from '@tributary/contracts/admin/processor';
import { askService, type ServiceQuestion } from '@tributary/http/ask-service';
import type { InternalAnswer, InternalClient } from '@tributary/http/internal-client';
import { setTimeout as delay } from 'node:timers/promises';

const { openConnection, renewEndpoint, closeConnection } = processorServiceRoutes;
const { asks: checkConnection } = processorRoutes.checkConnection;

/** What processor-events does at Stripe for the portal. */
export type EndpointAtStripe = ServiceAnswerOf<typeof openConnection>['endpoint'];
export type Check = ServiceAnswerOf<typeof checkConnection>;
export type Finding = Check['findings'][number];

/** Words of processor-events on why not; nothing was changed here. */
export type NotDone = Exclude<InternalAnswer, { outcome: 'answered' }>;
type Connection = { tenantId: string; connectionId: string };

export type ProcessorQuestions = ReturnType<typeof processorQuestions>;

export function processorQuestions(
  client: InternalClient,
  { requestId }: { requestId: string | undefined },
) {
  async function ask<const R extends ServiceRoute>(
    route: R,
    params: ParamsOf<R>,
    body: ServiceQuestion<R>['body'],
  ): Promise<{ outcome: 'answered'; body: ServiceAnswerOf<R> } | NotDone> {
    const answer = await askService(client, route, { params, body, requestId });
    if (answer.outcome === 'answered') return { outcome: 'answered', body: answer.body };
    if (answer.outcome === 'refused' && answer.problem.code === 'NOT_FOUND') return notRead;
    return answer;
  }

  return {
    /**
     * Makes the endpoint, or finds the one that was made; the same question has the same answer.
     */
    open: (
      connection: Connection,
      body: { apiKey: string; apiVersion: string; url: string; endpointId?: string },
    ) => ask(openConnection, connection, body),
    /** A second endpoint beside the present one; the same as long as that is the present one. */
    renew: (connection: Connection, endpointId: string) =>
      ask(renewEndpoint, connection, { endpointId }),
    /** The key goes along for one that is not in the catalog yet. */
    close: (connection: Connection, opening?: { apiKey: string; apiVersion: string }) =>
      ask(closeConnection, connection, opening ?? {}),
    check: (connection: Connection) => ask(checkConnection, connection, {}),
  };
}

/** The catalog's records come to it a moment after they are written here. */
const notRead: NotDone = {
  outcome: 'unavailable',
  detail: 'processor-events has not read this connection yet; try again.',
};

/**
 * How a connection fares after a change of it; undefined when that is not known within `leftMs`.
 * The change must be on the log, which processor-events reads to its end before it answers.
 */
export async function checkWithin(
  leftMs: number,
  questions: ProcessorQuestions,
  connection: Connection,
): Promise<Check | undefined> {
  const over = new AbortController();
  const tooLate = delay(leftMs, undefined, { signal: over.signal }).catch(() => undefined);
  const answer = await Promise.race([questions.check(connection), tooLate]);
  over.abort();
  return answer?.outcome === 'answered' ? answer.body : undefined;
}

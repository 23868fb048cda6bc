import type {
  AdminRoute,
  AnswerOf,
  SentBodyOf,
  ServiceRoute,
  Writable,
} from '@tributary/contracts/admin/admin-route';
import { askService, type ServiceQuestion } from '@tributary/http/ask-service';
import type { InternalClient } from '@tributary/http/internal-client';
import { answerOf } from './internal-answer.ts';
import { type Asked, serve, type ServedRoute } from './route.ts';

type ForwardedRoute = AdminRoute & { readonly asks: ServiceRoute };

/**
 * Answers a declared route by what the service it belongs to says, in its words and with its
 * status.
 */
export function forward<const R extends ForwardedRoute>(
  route: R,
  client: InternalClient,
  how: {
    /** Refuses before anybody is asked what cannot be there. */
    check: (asked: Asked<R>) => Promise<unknown> | void;
    /** Where it is not what was sent here. */
    body?: (asked: Asked<R>) => Writable<SentBodyOf<R['asks']>>;
  },
): ServedRoute {
  return serve<R>(route)(async (asked) => {
    await how.check(asked);
    const { params, requestId } = asked;
    const body = how.body === undefined ? asked.body : how.body(asked);
    const question = { params, body, requestId } as unknown as ServiceQuestion<R['asks']>;
    return answerOf(await askService(client, route.asks, question)) as AnswerOf<R>;
  });
}

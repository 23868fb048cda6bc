import type {
  ParamsOf,
  QueryParametersOf,
  SentBodyOf,
  ServiceAnswerOf,
  ServiceRoute,
  Writable,
} from '@tributary/contracts/admin/admin-route';
import { segmentsOf } from '@tributary/contracts/admin/route-path';
import type { InternalAnswer, InternalClient } from './internal-client.ts';

/** What a service is asked by one of its declared routes. */
export type ServiceQuestion<R extends ServiceRoute> = {
  params: ParamsOf<R>;
  body?: Writable<SentBodyOf<R>> | undefined;
  query?: { readonly [N in keyof QueryParametersOf<R>]?: string | number | undefined };
  requestId?: string | undefined;
};

/** As {@link InternalAnswer}, with the body that is declared. */
export type ServiceAnswer<R extends ServiceRoute> =
  | { outcome: 'answered'; status: number; body: ServiceAnswerOf<R> }
  | Exclude<InternalAnswer, { outcome: 'answered' }>;

/**
 * Asks what the route declares. The answer is trusted: the specs of the service hold it to its
 * declaration.
 */
export async function askService<const R extends ServiceRoute>(
  client: InternalClient,
  route: R,
  { params, body, query, requestId }: ServiceQuestion<R>,
): Promise<ServiceAnswer<R>> {
  const segments = segmentsOf<string>(route.path, params);
  const about = { requestId };
  const answer =
    route.method === 'GET'
      ? await client.get(segments, query, about)
      : await client.post(segments, body ?? {}, about);
  return answer;
}

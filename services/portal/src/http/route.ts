import type {
  AdminRoute,
  AnswerOf,
  BodyOf,
  ParamsOf,
  QueryParametersOf,
} from '@tributary/contracts/admin/admin-route';
import type { Refinement } from '@tributary/contracts/admin/body-validator';
import type { QueryOf } from '@tributary/contracts/admin/query-parameters';
import { identifierPattern } from '@tributary/contracts/admin/text-fields';
import type { TObject } from '@sinclair/typebox';
import { createBodyReader } from './body.ts';
import { readQuery } from './query.ts';
import { Refusal } from './refusal.ts';

/** A declared route with what answers it. */
export type ServedRoute = { route: AdminRoute; handle: Handler };
export type Handler = (request: AdminRequest) => Promise<Answer>;
export type Answer = { status: number; body: unknown };

export type AdminRequest = {
  /** Decoded path parameters, as they came. */
  params: Readonly<Record<string, string>>;
  /** The query as it came, without its question mark. */
  search: string;
  /** Given on to the services that are asked, so that their log lines are found with ours. */
  requestId: string | undefined;
  /** @throws {Refusal} when the body is not JSON. */
  json(): Promise<unknown>;
  /** As {@link json}; no body at all counts as an empty object. */
  optionalJson(): Promise<unknown>;
};

/** What a handler is given: all that the route declares, validated. */
export type Asked<R extends AdminRoute> = {
  params: ParamsOf<R>;
  query: QueryOf<QueryParametersOf<R>>;
  body: BodyOf<R>;
  requestId: string | undefined;
};

/**
 * Answers a declared route, once it is given what handles it. Query and body are validated first,
 * in this order, and refused with every mistake; what cannot exist by its path is for the handler
 * to refuse.
 */
export function serve<const R extends AdminRoute>(
  route: R,
  options: {
    /** What only this service knows about the body. */
    refine?: R extends { body: infer B extends TObject } ? Refinement<B> : never;
    /** Refuses before the body is read. */
    first?: (params: ParamsOf<R>) => void;
  } = {},
): (handle: (asked: Asked<R>) => Promise<AnswerOf<R>>) => ServedRoute {
  const { body: schema, bodyOptional, query } = route as AdminRoute;
  const readBody = schema && createBodyReader(schema, options.refine as Refinement<TObject>);

  return (handle) => ({
    route,
    async handle(request) {
      options.first?.(request.params);
      const asked = {
        params: request.params,
        query: query && readQuery(request.search, query),
        body: readBody?.(await (bodyOptional ? request.optionalJson() : request.json())),
        requestId: request.requestId,
      };
      return handle(asked as Asked<R>);
    },
  });
}

/** The same without a look at the body: what is wrong with it is part of the answer. */
export function serveUnvalidated<const R extends AdminRoute>(
  route: R,
): (handle: (asked: Unvalidated<R>) => Promise<AnswerOf<R>>) => ServedRoute {
  const { query } = route as AdminRoute;
  return (handle) => ({
    route,
    async handle(request) {
      const { params, requestId } = request;
      const asked = { params, query: query && readQuery(request.search, query), requestId };
      return handle({ ...(asked as Asked<R>), json: await request.json() });
    },
  });
}

type Unvalidated<R extends AdminRoute> = Omit<Asked<R>, 'body'> & { json: unknown };

type OfTenant = { params: { tenantId: string } };

/** @throws {Refusal} NOT_FOUND: what breaks the form of an id cannot exist. */
export function tenantIdOf({ params: { tenantId } }: OfTenant): string {
  if (!identifierPattern.test(tenantId)) throw noSuchTenant();
  return tenantId;
}

export function noSuchTenant(): Refusal {
  return new Refusal('NOT_FOUND', { detail: 'There is no tenant with this id.' });
}

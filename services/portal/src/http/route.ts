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
import type { ServerResponse } from 'node:http';
import type { From } from '../accounts/commands/sessions.ts';
import type { Caller } from '../accounts/domain/caller.ts';
import { createBodyReader } from './body.ts';
import { readQuery } from './query.ts';
import { Refusal } from './refusal.ts';

/** A declared route with what answers it. */
export type ServedRoute = {
  route: AdminRoute;
  /** Who asks, once all that it validates by itself is right; it does nothing. */
  validate: (request: AdminRequest) => Promise<Caller>;
  handle: Handler;
  /** Whose it is, where that is not in the path. Undefined: nobody's, or nothing is left to do. */
  tenantOf?: (request: AdminRequest) => Promise<string | undefined>;
};
export type Handler = (request: AdminRequest) => Promise<Answer>;
export type Answer = { status: number; body: unknown } & Aside;
/** What an answer has besides what is declared. */
type Aside = {
  /** Sets the cookie of a session; null ends it. */
  session?: string | null;
  /** The same of the cookie of a sign-on at a provider. */
  signOn?: string | null;
  /** Who it turned out to be, where nobody was known before. */
  actor?: string;
  /** Which one of many it was about, where that is not in the path. */
  target?: Readonly<Record<string, string>>;
  /** Writes the answer, in place of the body, for as long as somebody reads it. */
  stream?: (res: ServerResponse) => void;
};

export type AdminRequest = {
  /** Decoded path parameters, as they came. */
  params: Readonly<Record<string, string>>;
  /** The query as it came, without its question mark. */
  search: string;
  /** Given on to the services that are asked, so that their log lines are found with ours. */
  requestId: string | undefined;
  caller: Caller;
  /**
   * Who asks once the body is here, which may take a while: a role may have been taken away.
   *
   * @throws {Refusal} when they may no more.
   */
  stillAdmitted(): Promise<Caller>;
  /** The same of an answer that stays open; that it does is no sign of life of a session. */
  remainsAdmitted(): Promise<Caller>;
  from: From;
  /** What the cookie of a sign-on at a provider holds. */
  signOn: string | undefined;
  /** @throws {Refusal} when the body is not JSON. */
  json(): Promise<unknown>;
  /** As {@link json}; no body at all counts as an empty object. */
  optionalJson(): Promise<unknown>;
};

/** What a handler is given: all that the route declares, validated. */
export type Asked<R extends AdminRoute> = {
  params: ParamsOf<R>;
  query: QueryOf<QueryParametersOf<R>>;
  /** Its `by`, where it has one, is who really asks. */
  body: BodyOf<R>;
  requestId: string | undefined;
  caller: Caller;
  from: From;
  /** The query as it came. */
  search: string;
  signOn: string | undefined;
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
): (handle: (asked: Asked<R>) => Promise<AnswerOf<R> | (AnswerOf<R> & Aside)>) => ServedRoute {
  const { body: schema, bodyOptional, query } = route as AdminRoute;
  const readBody = schema && createBodyReader(schema, options.refine as Refinement<TObject>);

  const read = async (request: AdminRequest) => {
    options.first?.(request.params);
    const { params, requestId, from, search, signOn } = request;
    const asking = query && readQuery(search, query);
    const json = schema && (await (bodyOptional ? request.optionalJson() : request.json()));
    const caller = schema ? await request.stillAdmitted() : request.caller;
    const body = readBody && withActor(readBody(json), json, caller);
    return { params, query: asking, body, requestId, caller, from, search, signOn } as Asked<R>;
  };
  return (handle) => ({
    route,
    validate: async (request) => (await read(request)).caller,
    handle: async (request) => handle(await read(request)),
  });
}

/**
 * Who acts is who asks. Only the token of the configuration, which belongs to nobody, says a name.
 *
 * @throws {Refusal} rather than to record another one than was given.
 */
function withActor<B extends object>(body: B, json: unknown, { kind, actor }: Caller): B {
  if (!Object.hasOwn(body, 'by')) return body;
  if (kind === 'bootstrap') {
    if (!/^(account|token):/.test(String((body as { by?: unknown }).by))) return body;
    const detail = 'must be a name that does not begin with account: or token:';
    throw new Refusal('VALIDATION_ERROR', {
      errors: [{ pointer: '/by', code: 'INVALID_FORMAT', detail }],
    });
  }
  if (Object.hasOwn(json as object, 'by')) {
    const detail = 'must be omitted: the caller is recorded instead';
    throw new Refusal('VALIDATION_ERROR', {
      errors: [{ pointer: '/by', code: 'UNKNOWN_FIELD', detail }],
    });
  }
  return { ...body, by: actor };
}

/** The same without a look at the body: what is wrong with it is part of the answer. */
export function serveUnvalidated<const R extends AdminRoute>(
  route: R,
): (handle: (asked: Unvalidated<R>) => Promise<AnswerOf<R>>) => ServedRoute {
  const { query } = route as AdminRoute;
  const read = async (request: AdminRequest) => {
    const { params, requestId, from, search, signOn } = request;
    const asking = query && readQuery(search, query);
    const json = await request.json();
    const caller = await request.stillAdmitted();
    const asked = { params, query: asking, requestId, caller, from, search, signOn };
    return { ...(asked as Asked<R>), json };
  };
  return (handle) => ({
    route,
    validate: async (request) => (await read(request)).caller,
    handle: async (request) => handle(await read(request)),
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

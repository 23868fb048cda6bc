import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox';
import type { Completed } from './body-validator.ts';
import { PendingApproval } from './pending-approval.ts';
import type { CsvForm } from './csv-form.ts';
import { NoMembers } from './no-members.ts';
import type { QueryParameters } from './query-parameters.ts';
import type { Right } from './rights.ts';
import type { PathParams } from './route-path.ts';

/**
 * One operation of the admin API, declared once (docs/decisions/0031). What is asked, what it may
 * be asked with and what is answered follow from here for everybody: the portal that serves it, the
 * service that is asked, the command line, the OpenAPI document and docs/admin-api.md.
 */
export type AdminRoute = {
  readonly method: Method;
  /** With parameters in braces; `/api` in front. */
  readonly path: `/api/${string}`;
  /** What whoever asks must be allowed (rights.ts); in the tenant of the path, where it has one. */
  readonly right: Right;
  /** People who are signed in enter their password once more, if that is long ago. */
  readonly confirmed?: true;
  /**
   * Where the deployment or the tenant wants one, it is only asked for, and done when another
   * person approves (docs/decisions/0058): 202 with what {@link PendingApproval} says. Its body
   * holds no secret.
   */
  readonly secondPerson?: true;
  /** A GET that changes something, as it is where a browser is sent. */
  readonly changes?: true;
  /** What it shows is secret or personal: that it was looked at is kept, as every change is. */
  readonly audited?: true;
  /** What it does, in a sentence. */
  readonly summary: string;
  /** Absent: the query is not looked at. */
  readonly query?: QueryParameters;
  /** Absent: no body is read. Closed: an undeclared member is refused. */
  readonly body?: TObject;
  /** No body at all counts as an empty object. */
  readonly bodyOptional?: true;
  /** Asks although it has a body, and changes nothing. */
  readonly storesNothing?: true;
  /** Answered once the log has the change, or with `published: false` (docs/decisions/0022). */
  readonly publishes?: true;
  /** A list that is given as CSV, too. */
  readonly csv?: CsvForm;
  /** By status. */
  readonly answers: Answers;
  /**
   * Answered with server-sent events until somebody hangs up; each has data as declared for 200.
   */
  readonly streams?: true;
  /** When a second status is given, for people: "when it exists". */
  readonly when?: Readonly<Record<number, string>>;
  /** What its query or its body names may not be there, as what a path names may not be: 404. */
  readonly mayBeMissing?: true;
  /** When it is refused with 409, for people. */
  readonly conflict?: string;
  /** The route of another service that the portal asks, where all it does is ask. */
  readonly asks?: ServiceRoute;
};

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
export type Answers = Readonly<Record<number, TSchema>>;

/** What a service is asked for by the portal, under `/internal` of its admin listener. */
export type ServiceRoute = {
  readonly service:
    'attribution' | 'rewards' | 'webhook-dispatcher' | 'processor-events' | 'replay';
  readonly method: 'GET' | 'POST';
  /** What follows `/internal`. */
  readonly path: `/${string}`;
  /** For a POST. What was asked of the portal was validated there; here it is once more. */
  readonly body?: TObject;
  readonly query?: QueryParameters;
  readonly answer: TSchema;
};

/** Keeps the types of what is declared. */
export function adminRoute<const R extends AdminRoute>(route: R): R {
  return { ...route, answers: answersOf(route) };
}

/**
 * What waits for a second person is answered so, too. The types leave it out: no handler answers
 * it.
 */
function answersOf<R extends AdminRoute>({ secondPerson, answers }: R): R['answers'] {
  if (!secondPerson) return answers;
  const own = answers[202];
  return { ...answers, 202: own ? Type.Union([own, PendingApproval]) : PendingApproval };
}

/** Whether a request changes something: it is then in the audit list. */
export function isChange({ method, storesNothing, changes }: AdminRoute): boolean {
  return changes === true || (method !== 'GET' && !storesNothing);
}

/** One that a service answers under the same path with the same body. */
export function forwardedRoute<
  const S extends ServiceRoute['service'],
  const R extends Omit<AdminRoute, 'asks'> & { body: TObject; answers: { 200: TSchema } },
>(service: S, route: R) {
  const path = route.path.slice('/api'.length) as R['path'] extends `/api/${infer P}`
    ? `/${P}`
    : never;
  const { body, answers } = route;
  const answer = answers[200] as R['answers'][200];
  return {
    ...route,
    answers: answersOf<AdminRoute>(route) as R['answers'],
    asks: { service, method: 'POST', path, body: body as R['body'], answer },
  } as const;
}

/** A question to a service that says everything in its path. */
export function questionOf<
  const S extends ServiceRoute['service'],
  const P extends ServiceRoute['path'],
  A extends TSchema,
>(service: S, path: P, answer: A) {
  return { service, method: 'POST', path, body: NoMembers, answer } as const;
}

export function serviceRoute<const R extends ServiceRoute>(route: R): R {
  return route;
}

/** What a handler of a route is given of its body, defaults filled in. */
export type BodyOf<R extends { body?: TObject }> = R extends { body: infer B extends TObject }
  ? Completed<B>
  : undefined;

/** What a caller sends. */
export type SentBodyOf<R extends { body?: TObject }> = R extends { body: infer B extends TObject }
  ? Static<B>
  : undefined;

export type ParamsOf<R extends { path: string }> = PathParams<R['path']>;

export type QueryParametersOf<R extends { query?: QueryParameters }> = R extends {
  query: infer Q extends QueryParameters;
}
  ? Q
  : Record<never, never>;

/** What a service answers, as whoever asks reads it. */
export type ServiceAnswerOf<R extends ServiceRoute> = Static<R['answer']>;

/** What is answered, as a caller reads it. */
export type AnswerBodyOf<R extends AdminRoute> = {
  [S in keyof R['answers']]: R['answers'][S] extends TSchema ? Static<R['answers'][S]> : never;
}[keyof R['answers']];

/** What a handler answers: a member that may be absent may be undefined, and a time a Date. */
export type AnswerOf<R extends AdminRoute> = {
  [S in keyof R['answers']]: R['answers'][S] extends TSchema
    ? { status: S & number; body: Writable<Static<R['answers'][S]>> }
    : never;
}[keyof R['answers']];

/** What becomes a value of the type when it is written as JSON. */
export type Writable<T> = T extends readonly (infer Item)[]
  ? readonly Writable<Item>[]
  : T extends object
    ? {
        readonly [M in keyof T]: object extends Pick<T, M>
          ? Writable<T[M]> | undefined
          : Writable<T[M]>;
      }
    : T extends string
      ? T | (string extends T ? Date : never)
      : T;

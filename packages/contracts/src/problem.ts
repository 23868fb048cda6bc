import { type Static, Type } from '@sinclair/typebox';
import { closedObject } from './closed-object.ts';
import { maxViolations, Violation } from './violation.ts';

/**
 * Every refusal that a caller can meet, in one table (interface 7 and design 8, "Statuses"). The
 * `type` is a fixed URN, equal in every deployment; clients branch on `code`.
 *
 * Five rows are also answered with another status, under the same title, which never changes (2.8):
 * MALFORMED_JSON as 415 (wrong media type, charset or content encoding), UNKNOWN_EVENT_TYPE and
 * NOT_FOUND as 405 (another method), UNAUTHORIZED as 403 (the tenant is suspended),
 * SERVICE_UNAVAILABLE as 429 (more than a limit allows). The list of codes is closed.
 */
export const problemCatalogue = {
  VALIDATION_ERROR: row('validation-error', 422, 'The request breaks the contract'),
  IDEMPOTENCY_CONFLICT: row(
    'idempotency-conflict',
    409,
    'The idempotency key belongs to another request',
  ),
  IDEMPOTENCY_KEY_CONFLICT: row(
    'idempotency-key-conflict',
    400,
    'The idempotency keys of the request differ',
  ),
  MALFORMED_JSON: row('malformed-json', 400, 'The body is not readable JSON'),
  UNAUTHORIZED: row('unauthorized', 401, 'Valid credentials are required'),
  UNKNOWN_EVENT_TYPE: row('unknown-event-type', 404, 'There is no such event type or method'),
  PAYLOAD_TOO_LARGE: row('payload-too-large', 413, 'The body is too large'),
  INTERNAL_ERROR: row('internal-error', 500, 'The service failed'),
  SERVICE_UNAVAILABLE: row('service-unavailable', 503, 'The service is unavailable'),
  NOT_FOUND: row('not-found', 404, 'There is no such resource or method'),
  CONFLICT: row('conflict', 409, 'The resource is in another state'),
  FORBIDDEN: row('forbidden', 403, 'The credentials do not allow this'),
  CONFIRMATION_REQUIRED: row('confirmation-required', 403, 'The password is needed once more'),
  TOO_MANY_REQUESTS: row('too-many-requests', 429, 'There were too many requests'),
} as const satisfies Record<string, ProblemRow>;

export type ProblemCode = keyof typeof problemCatalogue;
export type ProblemRow = { status: number; title: string; type: string };

/** The codes of the v2 endpoints: the closed list of interface 7. */
export const V2ProblemCode = Type.Union([
  Type.Literal('VALIDATION_ERROR'),
  Type.Literal('IDEMPOTENCY_CONFLICT'),
  Type.Literal('IDEMPOTENCY_KEY_CONFLICT'),
  Type.Literal('MALFORMED_JSON'),
  Type.Literal('UNAUTHORIZED'),
  Type.Literal('UNKNOWN_EVENT_TYPE'),
  Type.Literal('PAYLOAD_TOO_LARGE'),
  Type.Literal('INTERNAL_ERROR'),
  Type.Literal('SERVICE_UNAVAILABLE'),
]);
export type V2ProblemCode = Static<typeof V2ProblemCode>;

const members = {
  type: Type.String({ format: 'uri' }),
  title: Type.String(),
  status: Type.Integer({ minimum: 400, maximum: 599 }),
  detail: Type.String(),
  /** The request id, which is also in the log and in the `X-Request-Id` header. */
  instance: Type.Optional(Type.String()),
  errors: Type.Optional(Type.Array(Violation, { maxItems: maxViolations })),
};

/** Error body of the v2 endpoints, `application/problem+json` (interface 2.8). */
export const Problem = closedObject({ ...members, code: V2ProblemCode });
export type Problem = Static<typeof Problem>;

/** The same shape outside /v2, where more codes exist (design 8, "Problem type"). */
export const GeneralProblem = closedObject({
  ...members,
  code: Type.Union([
    V2ProblemCode,
    Type.Literal('NOT_FOUND'),
    Type.Literal('CONFLICT'),
    Type.Literal('FORBIDDEN'),
    Type.Literal('CONFIRMATION_REQUIRED'),
    Type.Literal('TOO_MANY_REQUESTS'),
  ]),
});
export type GeneralProblem = Static<typeof GeneralProblem>;

/**
 * The body of one refusal. `status` is given only for the codes that have a second status;
 * `detail` defaults to a sentence that is true of every case of the code.
 */
export function buildProblem(
  code: ProblemCode,
  about: {
    detail?: string | undefined;
    errors?: readonly Violation[] | undefined;
    instance?: string | undefined;
    status?: number | undefined;
  } = {},
): GeneralProblem {
  const { status, title, type } = problemCatalogue[code];
  return {
    type,
    title,
    status: about.status ?? status,
    detail: about.detail ?? defaultDetails[code],
    ...(about.instance === undefined ? {} : { instance: about.instance }),
    code,
    ...(about.errors === undefined ? {} : { errors: [...about.errors] }),
  };
}

const defaultDetails: Record<ProblemCode, string> = {
  VALIDATION_ERROR: 'The request breaks the contract; see errors.',
  IDEMPOTENCY_CONFLICT: 'This idempotency key was used with a different body within 72 hours.',
  IDEMPOTENCY_KEY_CONFLICT:
    'The idempotency keys of a request must be equal: each Idempotency-Key header and the idempotencyKey field.',
  MALFORMED_JSON: 'The body must be one JSON text in UTF-8.',
  UNAUTHORIZED: 'Send a valid access token: Authorization: Bearer <ACCESS_TOKEN>.',
  UNKNOWN_EVENT_TYPE: 'There is no such event type under /v2/events/.',
  PAYLOAD_TOO_LARGE: 'The body may have at most 65536 bytes.',
  INTERNAL_ERROR: 'The service failed. The request identifier leads to the cause.',
  SERVICE_UNAVAILABLE: 'The request could not be served now. Try again later.',
  NOT_FOUND: 'There is no such resource.',
  CONFLICT: 'The request does not fit the present state of the resource.',
  FORBIDDEN: 'These credentials do not allow this.',
  CONFIRMATION_REQUIRED: 'Enter the password once more: POST /api/session/confirm.',
  TOO_MANY_REQUESTS: 'Wait for as long as Retry-After says, then try again.',
};

function row(slug: string, status: number, title: string): ProblemRow {
  return { status, title, type: `urn:tributary:problem:${slug}` };
}

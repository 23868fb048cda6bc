import { type Static, Type } from '@sinclair/typebox';
import { problemCatalogue, type ProblemCode } from '../problem.ts';
import { RefusedField, RefusingService } from '../refusal-record.ts';
import { adminRoute } from './admin-route.ts';
import { asOf, count, named, nullable, text, utc } from './answer-fields.ts';
import { page } from './paging.ts';
import { idText, oneOf, time, wholeNumber } from './query-parameters.ts';

/** Requests that were refused alike within a moment. */
export const RefusedRequest = named(
  'Refused request',
  Type.Object({
    firstAt: utc,
    lastAt: utc,
    count: Type.Integer({ minimum: 1 }),
    service: RefusingService,
    /** Such as `POST /v2/events/purchase-created`. */
    route: text,
    status: Type.Integer(),
    /** Absent of the legacy endpoint. */
    code: Type.Optional(text),
    /** `*` in a pointer is a member that the contract does not have. */
    violations: Type.Array(RefusedField),
    accessKeyId: Type.Optional(text),
  }),
);
export type RefusedRequest = Static<typeof RefusedRequest>;

export const requestRoutes = {
  listRefusedRequests: adminRoute({
    method: 'GET',
    path: '/api/tenants/{tenantId}/requests',
    right: 'read',
    summary: 'Lists the requests refused in the last seven days, newest first.',
    query: {
      status: wholeNumber(400, 599),
      code: oneOf(...(Object.keys(problemCatalogue) as ProblemCode[])),
      route: idText(),
      key: idText(),
      from: time(),
      to: time(),
      ...page,
    },
    answers: {
      200: Type.Object({
        requests: Type.Array(RefusedRequest),
        nextCursor: nullable(text),
        /** Refused within the period too, and not kept one by one: there were too many. */
        omitted: count,
        asOf,
      }),
    },
  }),
};

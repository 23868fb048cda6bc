import type {
  BodyOf,
  ParamsOf,
  QueryParametersOf,
  ServiceAnswerOf,
  ServiceRoute,
  Writable,
} from '@tributary/contracts/admin/admin-route';
import { createBodyValidator } from '@tributary/contracts/admin/body-validator';
import { type QueryOf, validateQuery } from '@tributary/contracts/admin/query-parameters';
import { expressPath } from '@tributary/contracts/admin/route-path';
import type { Violation } from '@tributary/contracts/violation';
import type { InternalProblem, InternalRequest, InternalRoute } from './internal-router.ts';

/** What is asked of a declared route, validated. */
export type DeclaredRequest<R extends ServiceRoute> = {
  params: ParamsOf<R>;
  query: QueryOf<QueryParametersOf<R>>;
  body: BodyOf<R>;
};

export type DeclaredReply<R extends ServiceRoute> =
  { status: number; body: Writable<ServiceAnswerOf<R>> } | InternalProblem;

type AnswerDeclared<R extends ServiceRoute> = (
  asked: DeclaredRequest<R>,
  request: InternalRequest,
) => Promise<DeclaredReply<R>>;

/**
 * An internal route as it is declared (docs/decisions/0031). The portal has validated what it asks;
 * 422 names what is wrong with it all the same, as a portal of another release may ask otherwise.
 */
export function declaredRoute<const R extends ServiceRoute>(
  route: R,
  { atOnce }: { atOnce?: number } = {},
): (answer: AnswerDeclared<R>) => InternalRoute {
  const validateBody = route.body && createBodyValidator(route.body);
  const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);

  return (answer) => ({
    method: route.method,
    path: expressPath(route.path),
    ...(atOnce !== undefined && { atOnce }),
    async answer(request) {
      const body = validateBody?.(request.json ?? {});
      const query = route.query && validateQuery(request.query.toString(), route.query);
      const violations = [...(body?.violations ?? []), ...(query?.violations ?? [])];
      if (violations.length > 0) return notUnderstoodFor(violations);
      const asked = {
        params: Object.fromEntries(names.map((name) => [name, request.param(name)])),
        query: query && 'value' in query ? query.value : {},
        body: body && 'value' in body ? body.value : undefined,
      } as DeclaredRequest<R>;
      return answer(asked, request);
    },
  });
}

function notUnderstoodFor(errors: readonly Violation[]): InternalProblem {
  const [first] = errors;
  const detail = `${first?.pointer || 'the body'}: ${first?.detail ?? 'not understood'}`;
  return { problem: 'VALIDATION_ERROR', detail, errors };
}

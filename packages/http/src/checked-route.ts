import { type Checker, notUnderstoodBody } from './internal-replies.ts';
import type { InternalReply, InternalRequest, InternalRoute } from './internal-router.ts';

/** A POST whose body is judged first: 422 names the first member that its schema does not take. */
export function checkedRoute<T>(
  path: string,
  checker: Checker & { Check(json: unknown): json is T },
  answer: (body: T, request: InternalRequest) => Promise<InternalReply>,
): InternalRoute {
  return {
    method: 'POST',
    path,
    async answer(request) {
      const { json } = request;
      return checker.Check(json) ? answer(json, request) : notUnderstoodBody(checker, json);
    },
  };
}

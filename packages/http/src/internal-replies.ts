import type { InternalReply } from './internal-router.ts';

// What internal routes answer, in one form for all services (design 2).

export function ok(body: unknown): InternalReply {
  return { status: 200, body };
}

/** 503: the caller may come again. */
export function notNow(detail: string): InternalReply {
  return { problem: 'SERVICE_UNAVAILABLE', detail };
}

/** 422. */
export function notUnderstood(detail: string): InternalReply {
  return { problem: 'VALIDATION_ERROR', detail };
}

/** A compiled TypeBox schema, as far as it is asked here. */
export type Checker = { Errors(json: unknown): { First(): FirstError | undefined } };
type FirstError = { path: string; message: string };

/** 422 that names the first member that the schema does not take. */
export function notUnderstoodBody(checker: Checker, json: unknown): InternalReply {
  const error = checker.Errors(json).First();
  return notUnderstood(`${error?.path || 'the body'}: ${error?.message ?? 'not understood'}`);
}

/** 422 at `/cursor`. */
export function wrongCursor(of: 'list' | 'walk'): InternalReply {
  const detail = `must be the nextCursor of an answer of this ${of}`;
  const error = { pointer: '/cursor', code: 'INVALID_FORMAT', detail } as const;
  return { problem: 'VALIDATION_ERROR', errors: [error] };
}

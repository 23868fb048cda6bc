import type { InternalProblem } from './internal-router.ts';

// What internal routes answer, in one form for all services (design 2).

export function ok<B>(body: B): { status: number; body: B } {
  return { status: 200, body };
}

/** 503: the caller may come again. */
export function notNow(detail: string): InternalProblem {
  return { problem: 'SERVICE_UNAVAILABLE', detail };
}

/** 422 at `/cursor`. */
export function wrongCursor(of: 'list' | 'walk'): InternalProblem {
  const detail = `must be the nextCursor of an answer of this ${of}`;
  const error = { pointer: '/cursor', code: 'INVALID_FORMAT', detail } as const;
  return { problem: 'VALIDATION_ERROR', errors: [error] };
}

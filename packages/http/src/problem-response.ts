import type { ServerResponse } from 'node:http';
import { buildProblem, type ProblemCode } from '@tributary/contracts/problem';
import type { Violation } from '@tributary/contracts/violation';
import { endAnswer } from './end-answer.ts';
import { requestIdOf } from './request-id.ts';

export type ProblemAnswer = {
  detail?: string | undefined;
  errors?: readonly Violation[] | undefined;
  /** Default: the id that assignRequestId gave. */
  requestId?: string | undefined;
  /** Of SERVICE_UNAVAILABLE; default 1. */
  retryAfterSeconds?: number | undefined;
  /** The methods of a path, when another one was used; makes the answer a 405. */
  allow?: string | undefined;
  /** Only where a code has a second status (415). */
  status?: number | undefined;
};

/** Answers with a problem document (interface 2.8) and the headers that its status calls for. */
export function sendProblem(
  res: ServerResponse,
  code: ProblemCode,
  about: ProblemAnswer = {},
): void {
  const { detail, errors, allow, requestId = requestIdOf(res) } = about;
  const status = about.status ?? (allow === undefined ? undefined : 405);
  const problem = buildProblem(code, { detail, errors, instance: requestId, status });
  // A 404 may be kept by a cache for as long as it likes (RFC 9111 4.2.2), and a code can appear.
  const headers: Record<string, string | number> = {
    'Content-Type': 'application/problem+json',
    'Cache-Control': 'no-store',
  };
  if (problem.status === 401) headers['WWW-Authenticate'] = 'Bearer';
  if (problem.status === 503) headers['Retry-After'] = about.retryAfterSeconds ?? 1;
  if (allow !== undefined) headers['Allow'] = allow;
  endAnswer(res, problem.status, headers, JSON.stringify(problem));
}

/** Answers with JSON, past express: this is the hot path. */
export function sendJson(res: ServerResponse, status: number, value: unknown): void {
  endAnswer(res, status, { 'Content-Type': 'application/json' }, JSON.stringify(value));
}

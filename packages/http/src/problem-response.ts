import type { ServerResponse } from 'node:http';
import { buildProblem, type GeneralProblem, type ProblemCode } from '@tributary/contracts/problem';
import type { Violation } from '@tributary/contracts/violation';
import { endAnswer } from './end-answer.ts';
import { requestIdOf } from './request-id.ts';

/** How a refusal is written. */
export type RefusalForm = (problem: GeneralProblem) => { contentType: string; body: string };

export const problemForm: RefusalForm = (problem) => ({
  contentType: 'application/problem+json',
  body: JSON.stringify(problem),
});

export type ProblemAnswer = {
  detail?: string | undefined;
  errors?: readonly Violation[] | undefined;
  /** Default: the id that assignRequestId gave. */
  requestId?: string | undefined;
  /** For SERVICE_UNAVAILABLE and TOO_MANY_REQUESTS; default 1. */
  retryAfterSeconds?: number | undefined;
  /** For UNAUTHORIZED: how to authenticate; default Bearer. */
  challenge?: string | undefined;
  /** The methods of a path, when another one was used; makes the answer a 405. */
  allow?: string | undefined;
  /** Only where a code has a second status (403, 415, 429). */
  status?: number | undefined;
  /** Only of the frozen endpoint, which has a form of its own. */
  form?: RefusalForm | undefined;
};

/** Answers with a problem document (interface 2.8) and the headers that its status calls for. */
export function sendProblem(
  res: ServerResponse,
  code: ProblemCode,
  about: ProblemAnswer = {},
): void {
  const { errors, allow, requestId = requestIdOf(res), form = problemForm } = about;
  const detail =
    about.detail ?? (allow === undefined ? undefined : `This path allows only ${allow}.`);
  const status = about.status ?? (allow === undefined ? undefined : 405);
  const problem = buildProblem(code, { detail, errors, instance: requestId, status });
  told(res, problem);
  const { contentType, body } = form(problem);
  // A 404 may be kept by a cache for as long as it likes (RFC 9111 4.2.2), and a code can appear.
  const headers: Record<string, string | number> = {
    'Content-Type': contentType,
    'Cache-Control': 'no-store',
  };
  if (problem.status === 401) headers['WWW-Authenticate'] = about.challenge ?? 'Bearer';
  if (problem.status === 503 || problem.status === 429) {
    headers['Retry-After'] = about.retryAfterSeconds ?? 1;
  }
  if (allow !== undefined) headers['Allow'] = allow;
  endAnswer(res, problem.status, headers, body);
}

/** Calls `listener` with the problem that the request is answered with, if it is. */
export function onProblem(res: ServerResponse, listener: (problem: GeneralProblem) => void): void {
  (res as Listened)[listening] = listener;
}

/** On the answer itself: every request has one, and a weak map of all of them would cost more. */
const listening = Symbol('listens for a problem');
type Listened = ServerResponse & { [listening]?: (problem: GeneralProblem) => void };

function told(res: ServerResponse, problem: GeneralProblem): void {
  (res as Listened)[listening]?.(problem);
}

/** Answers with JSON, past express: this is the hot path. */
export function sendJson(res: ServerResponse, status: number, value: unknown): void {
  endAnswer(res, status, { 'Content-Type': 'application/json' }, JSON.stringify(value));
}

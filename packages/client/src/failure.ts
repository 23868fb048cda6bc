import type { Problem } from './wire-types.ts';

/** What the service, or something on the way to it, answered. */
export type Answer = { status: number; headers: Headers; text: string };

/**
 * Why one attempt did not succeed, as data: several calls can wait for one token, and each makes an
 * error of its own from the failure.
 */
export type Failure = { operation: string } & (
  { kind: 'answer'; answer: Answer } | { kind: 'no-answer'; timedOut: boolean; cause: unknown }
);

export type Outcome<T> = { ok: true; value: T } | { ok: false; failure: Failure };

export function failed(failure: Failure): { ok: false; failure: Failure } {
  return { ok: false, failure };
}

/** Whether the same request, with the same idempotency key, may succeed later. */
export function isRetryable(failure: Failure): boolean {
  return failure.kind === 'no-answer' || retryableStatuses.has(failure.answer.status);
}

/** 502 and 504 come from proxies; 429 from a limit that somebody may put in front. */
const retryableStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** The problem in the body of an answer; undefined for whatever else a proxy may have sent. */
export function problemIn(answer: Answer): Problem | undefined {
  const body = parseObject(answer.text);
  if (body === undefined) return undefined;
  const { type, title, status, detail, code, errors } = body;
  const isProblem =
    [type, title, detail, code].every((member) => typeof member === 'string') &&
    typeof status === 'number' &&
    (errors === undefined || (Array.isArray(errors) && errors.every(isObject)));
  return isProblem ? (body as Problem) : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The JSON object in a text; undefined when there is none. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

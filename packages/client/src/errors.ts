import { isContentKey } from './content-key.ts';
import { type Failure, isRetryable, problemIn } from './failure.ts';
import { retryAfterMs } from './retry-after.ts';
import type { Problem, ProblemCode, Violation } from './wire-types.ts';

/**
 * What every error of the client has. The client puts no credential, no token and no body of a
 * request into one, so an error can be logged whole.
 */
export class TributaryError extends Error {
  /** What was asked, such as `POST /token`; without a code or a user's id. */
  readonly operation: string;
  /** How often it was tried. */
  readonly attempts: number;
  /** Whether the same request, with the same idempotency key, may succeed later. */
  readonly retryable: boolean;
  /** The key of the event; send it again by this key, and it cannot double. */
  readonly idempotencyKey: string | undefined;

  constructor(message: string, about: About) {
    super(`${about.failure.operation}: ${message}`);
    this.name = new.target.name;
    this.operation = about.failure.operation;
    this.attempts = about.attempts;
    this.retryable = isRetryable(about.failure);
    this.idempotencyKey = about.idempotencyKey;
  }
}

/** The service refused (interface 2.8). Branch on `code`; `title` and `detail` may be reworded. */
export class TributaryProblem extends TributaryError implements Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ProblemCode;
  /** Every rule that the request broke, at most 20; empty when that is not the matter. */
  readonly errors: Violation[];
  /** Identifies the request: quote it when you ask for help. */
  declare readonly instance?: string;
  /** How long the service asked to be left alone. */
  readonly retryAfterMs: number | undefined;

  constructor(problem: Problem, about: About) {
    const violations = (problem.errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`);
    const list = violations.length === 0 ? '' : ` [${violations.join(', ')}]`;
    const hint = isAboutContentKey(problem, about) ? ` ${whatToDo(about)}` : '';
    super(`${problem.status} ${problem.code}: ${problem.detail}${list}${hint}`, about);
    this.type = problem.type;
    this.title = problem.title;
    this.status = problem.status;
    this.detail = problem.detail;
    this.code = problem.code;
    this.errors = problem.errors ?? [];
    if (problem.instance !== undefined) this.instance = problem.instance;
    this.retryAfterMs = retryAfterOf(about.failure);
  }
}

function isAboutContentKey({ code }: Problem, { idempotencyKey }: About): boolean {
  return code === 'IDEMPOTENCY_CONFLICT' && isContentKey(idempotencyKey);
}

/**
 * For whoever gave no key, and would not know which key the service means. A report that was
 * answered with 503 holds its key although nothing of it may be stored, so a conflict does not
 * prove that the event is. A second key is harmless but for a refund, which is known by its key.
 */
function whatToDo({ failure }: About): string {
  const received =
    'The client made the key of what this event is about: an earlier report of it, with other ' +
    'particulars, was received. It is stored if that report was answered with 202; otherwise send ' +
    'exactly that report again';
  return failure.operation.endsWith('/purchase-refunded')
    ? `${received}: another key would make a second refund.`
    : `${received}, or this one with a key of your own.`;
}

/** Something answered that is not the service: a proxy, or another server at this address. */
export class TributaryAnswerError extends TributaryError {
  readonly status: number;
  readonly retryAfterMs: number | undefined;

  constructor(status: number, about: About) {
    super(`answered ${status}, but not like the referral service; is the baseUrl right?`, about);
    this.status = status;
    this.retryAfterMs = retryAfterOf(about.failure);
  }
}

/** No answer: the network failed, or the time was up. An event may or may not be stored. */
export class TributaryNetworkError extends TributaryError {
  readonly timedOut: boolean;

  constructor(timedOut: boolean, about: About, options: { cause: unknown }) {
    super(timedOut ? 'no answer in time' : `no answer: ${reasonOf(options.cause)}`, about);
    this.timedOut = timedOut;
    this.cause = options.cause;
  }
}

type About = { failure: Failure; attempts: number; idempotencyKey: string | undefined };

export function errorOf(about: About): TributaryError {
  const { failure } = about;
  if (failure.kind === 'no-answer') {
    return new TributaryNetworkError(failure.timedOut, about, { cause: failure.cause });
  }
  const problem = problemIn(failure.answer);
  if (problem !== undefined) return new TributaryProblem(problem, about);
  return new TributaryAnswerError(failure.answer.status, about);
}

function retryAfterOf(failure: Failure): number | undefined {
  return failure.kind === 'answer' ? retryAfterMs(failure.answer.headers) : undefined;
}

/** Fetch says "fetch failed", and why in the cause. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'unknown reason';
  return cause.cause instanceof Error ? reasonOf(cause.cause) : cause.message;
}

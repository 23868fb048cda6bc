import type { Right } from './checks.ts';

/** What came back for one request. */
export type Came = { durationMs: number } & (
  | { came: 'answer'; status: number; location?: string; body: string }
  /** `failure`: what kind, `words`: for people. */
  | { came: 'nothing'; failure: 'timeout' | 'connection'; detail: string }
);

/**
 * Undefined when it is right, else why not. A redirect gets a word of its own: none is followed.
 */
export function findFault(right: Right, came: Came): string | undefined {
  if (came.came === 'nothing') return `no answer: ${came.detail}`;
  const { status } = came;
  if (isRight(right, status)) return undefined;
  if (status >= 300 && status <= 399) {
    const where = came.location === undefined ? '' : ` to ${came.location}`;
    return `${status}, a redirect${where}, which is not followed`;
  }
  return answerText(came);
}

/** The answer in a few words. */
export function answerText(came: Came): string {
  if (came.came === 'nothing') return came.detail;
  const text = came.body.trim();
  if (text === '') return String(came.status);
  return `${came.status} ${text.length > shownLength ? `${text.slice(0, shownLength)}…` : text}`;
}

const shownLength = 100;

function isRight(right: Right, status: number): boolean {
  switch (right) {
    case '2xx':
      return isSuccess(status);
    case '400':
      return status === 400;
    case '401':
      return status === 401;
    case 'not 401':
      return status !== 401;
    default:
      return right satisfies never;
  }
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}

import type { InternalAnswer } from '@tributary/http/internal-client';
import { Refusal } from './refusal.ts';

type Answered = { outcome: 'answered'; status: number; body: unknown };

/**
 * What another service answered, handed on.
 *
 * @throws {Refusal} with the words of the service that was asked.
 */
export function answerOf<A extends Answered>(
  answer: A | Exclude<InternalAnswer, Answered>,
): { status: number; body: A['body'] } {
  switch (answer.outcome) {
    case 'answered':
      return { status: answer.status, body: answer.body };
    case 'refused': {
      const { code, detail, errors } = answer.problem;
      throw new Refusal(code, { detail, ...(errors && { errors }) });
    }
    case 'unavailable':
      throw new Refusal('SERVICE_UNAVAILABLE', { detail: answer.detail });
    default:
      return answer satisfies never;
  }
}

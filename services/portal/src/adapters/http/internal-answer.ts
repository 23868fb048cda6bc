import type { InternalAnswer } from '@tributary/http/internal-client';
import { Refusal } from './refusal.ts';
import type { Answer } from './route.ts';

/**
 * What another service answered, handed on.
 *
 * @throws {Refusal} with the words of the service that was asked.
 */
export function answerOf(answer: InternalAnswer): Answer {
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

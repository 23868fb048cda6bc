import type { Case } from '../case.ts';
import { headerOf, type RawAnswer } from '../wire/raw-answer.ts';
import { acceptedMistakes } from './accepted-answer.ts';
import { problemMistakes } from './problem-answer.ts';

/** What in this answer is not as the contract has it; empty when all is. */
export function answerMistakes({ request, expected }: Case, answer: RawAnswer): string[] {
  const text = answer.body.toString();
  if (answer.status !== expected.status) {
    return [`${answer.status}, not ${expected.status}: ${text.slice(0, 300)}`];
  }
  const mistakes: string[] = [];
  if (!headerOf(answer, 'x-request-id')) mistakes.push('no X-Request-Id');
  if (answer.status === 401 && !/^Bearer\b/.test(headerOf(answer, 'www-authenticate') ?? '')) {
    mistakes.push('no WWW-Authenticate: Bearer');
  }
  if (answer.status === 405 && headerOf(answer, 'allow') !== 'POST') {
    mistakes.push(`Allow: ${headerOf(answer, 'allow')}`);
  }
  for (const canary of expected.canaries ?? []) {
    if (text.includes(canary)) mistakes.push(`repeats ${canary}`);
  }
  if (request.method === 'HEAD') return mistakes;
  const findMistakes = answer.status === 202 ? acceptedMistakes : problemMistakes;
  return [...mistakes, ...findMistakes(answer, expected)];
}

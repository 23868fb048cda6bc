import type { Answers, Dialogue, Question } from '@tributary/rewards-fold/fold-tables';
import { runDialogue } from '@tributary/runtime/run-dialogue';

/** Drives a dialogue of the domain with answers that take their time. */
export async function answerDialogue<Result>(
  dialogue: Dialogue<Result>,
  answers: Answers<true>,
): Promise<Result> {
  return runDialogue(dialogue, async (question) => answerOf(question, answers));
}

/** The same with answers that are there. */
export function answerDialogueNow<Result>(
  dialogue: Dialogue<Result>,
  answers: Answers<false>,
): Result {
  let turn = dialogue.next();
  while (!turn.done) turn = dialogue.next(answerOf(turn.value, answers));
  return turn.value;
}

function answerOf(question: Question, answers: Answers<boolean>): unknown {
  // Name and subject belong together by the type of the question.
  const answer = answers[question.name] as (about: Question['about']) => unknown;
  return answer(question.about);
}

/**
 * Runs a dialogue of the domain. What a fold has to know it finds out only as it goes, and domain
 * code does no IO; so it is a generator that yields what it asks for and is sent the answer.
 */
export async function runDialogue<Question, Answer, Result>(
  dialogue: Generator<Question, Result, Answer>,
  answerTo: (question: Question) => Promise<Answer>,
): Promise<Result> {
  let turn = dialogue.next();
  while (!turn.done) turn = dialogue.next(await answerTo(turn.value));
  return turn.value;
}

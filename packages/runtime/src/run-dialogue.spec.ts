import { expect } from 'chai';
import { runDialogue } from './run-dialogue.ts';

describe('runDialogue', () => {
  it('answers each question before the next is asked, and gives the result', async () => {
    function* sum(): Generator<string, number, number> {
      const first = yield 'first';
      return first + (yield `second after ${first}`);
    }
    const asked: string[] = [];
    const result = await runDialogue(sum(), async (question) => {
      await Promise.resolve();
      return asked.push(question);
    });
    expect(asked).to.deep.equal(['first', 'second after 1']);
    expect(result).to.equal(3);
  });
});

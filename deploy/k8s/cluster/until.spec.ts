import { expect } from 'chai';
import { until } from './until.ts';

describe('until', () => {
  it('asks again after no answer and after an error', async () => {
    const answers = [() => undefined, () => false as const, fail, () => 'there'];
    const asked = until('x', { deadlineMs: 60_000, everyMs: 1 }, () => answers.shift()!());
    expect(await asked).to.equal('there');
    expect(answers).to.deep.equal([]);
  });

  it('says what it waited for, and what stood in the way', async () => {
    const error = await until('a pod', { deadlineMs: 0, everyMs: 1 }, fail).catch(String);
    expect(error).to.equal('Error: not within 0 s: a pod (not yet)');
  });

  it('ends at once when it is given up', async () => {
    const signal = AbortSignal.abort(new Error('given up'));
    const error = await until('x', { deadlineMs: 60_000, signal }, fail).catch(String);
    expect(error).to.equal('Error: given up');
  });

  function fail(): undefined {
    throw new Error('not yet');
  }
});

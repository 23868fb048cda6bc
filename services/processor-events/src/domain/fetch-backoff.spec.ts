import { expect } from 'chai';
import { connectionRestMs, keepingRestMs, questionRestMs } from './fetch-backoff.ts';

describe('the waits after a question without an answer', () => {
  it('double, up to 10 minutes of a connection and an hour of a question', () => {
    const connection = [0, 1, 2, 9, 10, 500].map((failures) => connectionRestMs(failures, 0.5));
    expect(connection).to.deep.equal([1_000, 2_000, 4_000, 512_000, 600_000, 600_000]);
    const question = [0, 1, 2, 10, 500].map((attempts) => questionRestMs(attempts, 0.5));
    expect(question).to.deep.equal([5_000, 10_000, 20_000, 3_600_000, 3_600_000]);
  });

  it('double up to a minute when the answer could not be kept', () => {
    const waits = [0, 1, 4, 5, 500].map((attempts) => keepingRestMs(attempts, 0.5));
    expect(waits).to.deep.equal([2_000, 4_000, 32_000, 60_000, 60_000]);
  });

  it('vary by a fifth', () => {
    expect([0, 1].map((random) => connectionRestMs(0, random))).to.deep.equal([800, 1_200]);
  });
});

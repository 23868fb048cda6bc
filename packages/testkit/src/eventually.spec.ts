import { expect } from 'chai';
import { eventually } from './eventually.ts';

describe('eventually', () => {
  it('gives the first result that does not throw', async () => {
    let attempts = 0;
    const result = await eventually(
      () => {
        attempts += 1;
        if (attempts < 3) throw new Error('not yet');
        return attempts;
      },
      { everyMs: 1 },
    );
    expect(result).to.equal(3);
  });

  it('throws the last error with the time waited', async () => {
    const late = eventually(() => expect(1).to.equal(2), {
      ...{ deadlineMs: 20, everyMs: 5, factor: 1 },
    });
    const error = await late.then(() => undefined).catch((thrown: unknown) => thrown);
    expect(String(error)).to.match(/expected 1 to equal 2 \(still so after 20 ms\)/);
  });

  it('waits longer where the machine is slow or busy', async () => {
    const startedAt = performance.now();
    const late = eventually(() => expect(1).to.equal(2), {
      ...{ deadlineMs: 20, everyMs: 5, factor: 3 },
    });
    const error = await late.then(() => undefined).catch((thrown: unknown) => thrown);
    expect(String(error)).to.include('(still so after 60 ms)');
    expect(performance.now() - startedAt).to.be.at.least(59);
  });
});

import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { createRepeater } from './repeater.ts';

/** Work that ends when the test says so. */
function controlledWork() {
  const runs: { end: () => void }[] = [];
  const waiting: (() => void)[] = [];
  return {
    work: () =>
      new Promise<void>((end) => {
        runs.push({ end });
        waiting.shift()?.();
      }),
    runs,
    nextRun: () => new Promise<void>((resolve) => waiting.push(resolve)),
  };
}

const never = 1_000_000;
/** Lets every timer of 0 ms fire. */
const aWhile = () => delay(10);

describe('a repeater', () => {
  it('runs at once, again after the interval, and one run at a time', async () => {
    const { work, runs, nextRun } = controlledWork();
    const repeater = createRepeater({ everyMs: 1, work });
    const first = nextRun();
    repeater.start();
    await first;
    expect(runs).to.have.length(1);
    const second = nextRun();
    runs[0]!.end();
    await second;
    runs[1]!.end();
    await repeater.stop();
  });

  it('remembers a wake that comes during a run', async () => {
    const { work, runs, nextRun } = controlledWork();
    const repeater = createRepeater({ everyMs: never, work });
    const first = nextRun();
    repeater.start();
    await first;
    repeater.wake();
    repeater.wake();
    await aWhile();
    expect(runs, 'beside the run under way').to.have.length(1);
    const second = nextRun();
    runs[0]!.end();
    await second;
    runs[1]!.end();
    await aWhile();
    expect(runs, 'two wakes, one more run').to.have.length(2);
    await repeater.stop();
  });

  it('waits at its stop for the run under way, and runs no more', async () => {
    const { work, runs, nextRun } = controlledWork();
    const repeater = createRepeater({ everyMs: 0, work });
    const first = nextRun();
    repeater.start();
    await first;
    let stopped = false;
    const stop = repeater.stop().then(() => (stopped = true));
    repeater.wake();
    await aWhile();
    expect(stopped).to.equal(false);
    runs[0]!.end();
    await stop;
    await aWhile();
    expect(runs).to.have.length(1);
  });
});

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

  it('does not begin before its start, woken or not', async () => {
    const { work, runs } = controlledWork();
    const repeater = createRepeater({ everyMs: 1, work });
    repeater.wake();
    await aWhile();
    expect(runs).to.have.length(0);
    await repeater.stop();
    repeater.start();
    await aWhile();
    expect(runs, 'after its stop').to.have.length(0);
  });

  it('waits as long as a run asks for, and a wake ends that', async () => {
    const { work, runs, nextRun } = controlledWork();
    const repeater = createRepeater({ everyMs: 1, work: () => work().then(() => never) });
    const first = nextRun();
    repeater.start();
    await first;
    runs[0]!.end();
    await aWhile();
    expect(runs).to.have.length(1);
    const second = nextRun();
    repeater.wake();
    await second;
    runs[1]!.end();
    await repeater.stop();
  });

  it('gathers wakes for a moment, and serves them by one run', async () => {
    const gatherMs = 50;
    const { work, runs, nextRun } = controlledWork();
    const repeater = createRepeater({ everyMs: never, gatherMs, work });
    const first = nextRun();
    repeater.start();
    await first;
    runs[0]!.end();
    await aWhile();
    const second = nextRun();
    const wokenMs = performance.now();
    for (let i = 0; i < 3; i++) repeater.wake();
    await second;
    // A timer may fire a millisecond early.
    expect(performance.now() - wokenMs).to.be.at.least(gatherMs - 1);
    runs[1]!.end();
    await aWhile();
    expect(runs).to.have.length(2);
    await repeater.stop();
  });

  it('counts failures in a row, and rests after each whoever wakes it', async () => {
    const retryMs = 100;
    const reported: string[] = [];
    const atMs: number[] = [];
    const recovered = Promise.withResolvers<void>();
    const repeater = createRepeater({
      everyMs: never,
      retryMs,
      work() {
        atMs.push(performance.now());
        if (atMs.length < 3) return Promise.reject(new Error(`failure ${atMs.length}`));
        recovered.resolve();
        return Promise.resolve();
      },
      onFailure: (error, failures) => reported.push(`${(error as Error).message}: ${failures}`),
    });
    const waker = setInterval(() => repeater.wake(), 1);
    repeater.start();
    await recovered.promise;
    clearInterval(waker);
    expect(reported).to.eql(['failure 1: 1', 'failure 2: 2']);
    expect(atMs[1]! - atMs[0]!).to.be.at.least(retryMs - 1);
    expect(atMs[2]! - atMs[1]!).to.be.at.least(retryMs - 1);
    await repeater.stop();
    expect(repeater.failures()).to.equal(0);
  });

  it('is woken from what follows a failure when it has no pause of its own', async () => {
    let runs = 0;
    const failed = Promise.withResolvers<void>();
    const again = Promise.withResolvers<void>();
    const repeater = createRepeater({
      everyMs: never,
      work() {
        runs += 1;
        if (runs === 1) return Promise.reject(new Error('the first one'));
        again.resolve();
        return Promise.resolve();
      },
      onFailure: () => failed.resolve(),
    });
    repeater.start();
    await failed.promise;
    repeater.wake();
    await again.promise;
    await repeater.stop();
  });
});

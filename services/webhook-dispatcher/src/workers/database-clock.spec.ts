import { expect } from 'chai';
import { createDatabaseClock } from './database-clock.ts';

const database = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms);

describe('createDatabaseClock', () => {
  it('goes on from what the database said, by the monotonic clock', () => {
    let monotonicMs = 1_000;
    const clock = createDatabaseClock(() => monotonicMs);
    clock.observe(database(0), 990, 1_010);
    expect(clock.now()).to.deep.equal(database(0));
    monotonicMs = 3_500;
    expect(clock.now()).to.deep.equal(database(2_500));
  });

  it('keeps a tight reading over loose ones for a minute', () => {
    let monotonicMs = 10;
    const clock = createDatabaseClock(() => monotonicMs);
    clock.observe(database(0), 9, 11);
    monotonicMs = 30_000;
    clock.observe(database(29_200), 29_000, 30_000);
    expect(clock.now()).to.deep.equal(database(29_990));
    monotonicMs = 62_000;
    clock.observe(database(70_000), 61_000, 62_000);
    expect(clock.now()).to.deep.equal(database(70_500));
  });

  it('takes a loose reading at once that the tight one cannot be true beside', () => {
    let monotonicMs = 10;
    const clock = createDatabaseClock(() => monotonicMs);
    clock.observe(database(0), 9, 11);
    // The machine was suspended for an hour: the monotonic clock does not know of it.
    monotonicMs = 1_000;
    clock.observe(database(3_600_900), 800, 1_000);
    expect(clock.now()).to.deep.equal(database(3_601_000));
  });

  it('knows no time before the first answer', () => {
    expect(() => createDatabaseClock().now()).to.throw(/has not said/);
  });
});

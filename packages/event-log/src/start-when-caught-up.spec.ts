import { createLogger } from '@tributary/runtime/logger';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { startWhenCaughtUp } from './start-when-caught-up.ts';

const logger = createLogger({ service: 'test', level: 'silent' });

describe('startWhenCaughtUp (design 4, promise 10)', () => {
  it('starts once, after the log was read to its end, whatever failed before', async () => {
    const answers = [new Error('the brokers do not answer'), false, false, true];
    const events: string[] = [];
    const gate = startWhenCaughtUp({
      logger,
      work: 'sending',
      everyMs: 1,
      caughtUp: () => {
        const answer = answers.length > 1 ? answers.shift()! : answers[0]!;
        events.push(String(answer instanceof Error ? 'error' : answer));
        return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
      },
      start: () => events.push('start'),
    });
    expect(gate.health().ok).to.equal(false);
    await eventually(() => expect(gate.health().ok).to.equal(true));
    await eventually(() => expect(events.length).to.be.greaterThan(8));
    gate.stop();
    expect(events.slice(0, 5)).to.deep.equal(['error', 'false', 'false', 'true', 'start']);
    expect(events.filter((event) => event === 'start')).to.have.length(1);
  });

  it('is not ready while the log has to be read again, and starts nothing anew', async () => {
    let caughtUp = true;
    let starts = 0;
    const gate = startWhenCaughtUp({
      logger,
      work: 'sending',
      everyMs: 1,
      caughtUp: () => Promise.resolve(caughtUp),
      start: () => (starts += 1),
    });
    await eventually(() => expect(gate.health().ok).to.equal(true));
    caughtUp = false;
    await eventually(() => expect(gate.health().ok).to.equal(false));
    caughtUp = true;
    await eventually(() => expect(gate.health().ok).to.equal(true));
    gate.stop();
    expect(starts).to.equal(1);
  });

  it('never starts after a stop', async () => {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const asked = Promise.withResolvers<void>();
    let started = false;
    const gate = startWhenCaughtUp({
      logger,
      work: 'sending',
      caughtUp: () => {
        asked.resolve();
        return promise;
      },
      start: () => (started = true),
    });
    await asked.promise;
    gate.stop();
    resolve(true);
    await promise;
    await new Promise((done) => setImmediate(done));
    expect(started).to.equal(false);
  });
});

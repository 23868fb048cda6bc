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
        const answer = answers.shift();
        events.push(String(answer instanceof Error ? 'error' : answer));
        return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer!);
      },
      start: () => events.push('start'),
    });
    expect(gate.health().ok).to.equal(false);
    await eventually(() => expect(gate.health().ok).to.equal(true));
    expect(events).to.deep.equal(['error', 'false', 'false', 'true', 'start']);
  });

  it('never starts after a stop', async () => {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    let started = false;
    const gate = startWhenCaughtUp({
      logger,
      work: 'sending',
      caughtUp: () => promise,
      start: () => (started = true),
    });
    gate.stop();
    resolve(true);
    await promise;
    await new Promise((done) => setImmediate(done));
    expect(started).to.equal(false);
  });
});

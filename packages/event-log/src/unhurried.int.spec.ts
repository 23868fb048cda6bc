import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { note } from './testing.ts';
import { keyOfTwo, type NoteLog, startNoteLog } from './testing/note-log.ts';

describe('a source that nobody waits for', () => {
  let log: NoteLog;

  before(async () => {
    log = await startNoteLog();
  });
  after(() => log.stop());

  it('is left alone for a while after a trickle, and then read in one transaction', async () => {
    const topic = await log.newTopic(2);
    const batches: number[] = [];
    await log.project(topic, {
      unhurried: { notes: 3_000 },
      apply: (_, batch) => Promise.resolve(void batches.push(batch.length)),
    });
    const append = (partition: number, n: number) =>
      log.appender.append([{ topic, key: keyOfTwo(topic, partition), value: note(n) }]);
    await append(0, 1);
    await eventually(() => expect(batches).to.deep.equal([1]));
    await append(0, 2);
    await append(1, 3);
    await append(0, 4);
    await eventually(() => expect(batches).to.deep.equal([1, 3]), { deadlineMs: 30_000 });
  });
});

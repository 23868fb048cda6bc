import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { createProjectionBarrier } from './projection-barrier.ts';
import { note, silentLogger } from './testing.ts';
import { keyOfTwo, type NoteLog, startNoteLog } from './testing/note-log.ts';

describe('projection barrier', () => {
  const deadline = { deadlineMs: 30_000 };
  let log: NoteLog;

  before(async () => {
    log = await startNoteLog();
  });
  after(() => log?.stop());

  it('does not wait for a partition that another process had to stop, and for the others it does', async () => {
    const topic = await log.newTopic(2);
    const projection = await log.project(topic);
    const append = (partition: number, value: string) =>
      log.appender.append([{ topic, key: keyOfTwo(topic, partition), value }]);
    await append(0, '{"schemaVersion":2,"n":1}');
    await append(1, note(1));

    // As in another replica: of the projection it knows what stands in the database, and no more.
    const barrier = createProjectionBarrier({
      kafka: log.kafka,
      logger: silentLogger,
      pool: () => log.pool,
      name: topic,
      topics: [topic],
    });
    await eventually(async () => expect(await barrier.becomeCurrent()).to.equal(true), deadline);
    await projection.stop();
    await append(1, note(2));
    expect(await barrier.becomeCurrent()).to.equal(false);
    barrier.stop();
  }).timeout(60_000);
});

import { setTimeout as delay } from 'node:timers/promises';
import { note } from '@tributary/event-log/testing';
import { type NoteLog, startNoteLog } from '@tributary/event-log/testing/note-log';
import { createLogger } from '@tributary/runtime/logger';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { createReadingGate } from './reading-gate.ts';

const logger = createLogger({ service: 'test', level: 'silent' });

describe('a generation that is built beside one that never keeps up', () => {
  let log: NoteLog;
  before(async () => {
    log = await startNoteLog();
  });
  after(() => log?.stop());

  it('gets on all the same, a turn at a time', async () => {
    const topic = await log.newTopic();
    const notes = Array.from({ length: 3_000 }, (_, n) => ({
      ...{ topic, key: `k${n}`, value: note(n) },
    }));
    await log.appender.append(notes);
    const live = await log.project(topic, {
      maxBatchRecords: 1,
      apply: () => delay(30),
    });
    await eventually(() => expect(live.lag().records).to.be.within(2_000, 2_999));
    const gate = createReadingGate({ logger, own: () => built.lag(), live: () => live.lag() });
    const begun: boolean[] = [];
    const built = await log.project(topic, {
      ...{ name: `${topic}-built`, group: `group-${topic}-built`, maxBatchRecords: 100 },
      givesWay: () => gate.givesWay(),
      apply: () => Promise.resolve(void begun.push(live.lag().records > 20)),
    });
    await eventually(() => expect(begun.length).to.be.at.least(4), { deadlineMs: 30_000 });
    expect(begun.slice(0, 4), 'beside the live one').to.deep.equal([true, true, true, true]);
  });
});

import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { createGatherer, type Gathered, maxPartitionBytes, takeGather } from './gather.ts';

const ticket = {
  open: 1,
  deadlineAt: 0,
  settled: false,
  resolve: () => undefined,
  reject: () => undefined,
};

function record(partition: number, bytes = 10, key = 'k'): Gathered {
  return { entry: { topic: 't', key, value: 'x'.repeat(bytes) }, ticket, partition };
}

describe('takeGather', () => {
  it('takes everything, in order, while it fits', () => {
    const queue = [record(0, 10, 'a'), record(1, 10, 'b'), record(0, 10, 'c')];
    const { taken, rest } = takeGather(queue, 500);
    expect(taken.map((r) => r.entry.key)).to.deep.equal(['a', 'b', 'c']);
    expect(rest).to.deep.equal([]);
  });

  it('leaves what is over the record limit', () => {
    const { taken, rest } = takeGather([record(0), record(1), record(2)], 2);
    expect([taken.length, rest.length]).to.deep.equal([2, 1]);
  });

  it('closes a partition at 768 KiB and goes on with the others (design 5)', () => {
    const big = 60 * 1024;
    const queue = [...Array.from({ length: 20 }, () => record(0, big)), record(1)];
    const { taken, rest } = takeGather(queue, 500);
    const bytes = taken.filter((r) => r.partition === 0).length * big;
    expect(bytes).to.be.at.most(maxPartitionBytes);
    expect(taken.filter((r) => r.partition === 1)).to.have.length(1);
    expect(rest.every((r) => r.partition === 0)).to.equal(true);
    expect(taken.length + rest.length).to.equal(queue.length);
  });

  it('keeps the order within a partition: behind a record that waits, all wait', () => {
    const queue = [
      record(0, maxPartitionBytes - 500, 'a'),
      record(0, 1_000, 'b'),
      record(0, 1, 'c'),
    ];
    const { taken, rest } = takeGather(queue, 500);
    expect(taken.map((r) => r.entry.key)).to.deep.equal(['a']);
    expect(rest.map((r) => r.entry.key)).to.deep.equal(['b', 'c']);
  });

  it('takes a single record that is over the limit alone, so that nothing waits for ever', () => {
    const { taken } = takeGather([record(0, maxPartitionBytes + 1)], 500);
    expect(taken).to.have.length(1);
  });
});

describe('a gatherer', () => {
  it('sends beside a few records at once, beside many only many', async () => {
    const sent: { size: number; end: () => void }[] = [];
    const gatherer = createGatherer({
      gatherMs: 0,
      maxGatherRecords: 500,
      isLive: () => true,
      flush: (gathered) =>
        new Promise((end) => void sent.push({ size: gathered.length, end: () => end() })),
    });
    const sizes = () => sent.map(({ size }) => size);
    const add = (records: number) => {
      for (let n = 0; n < records; n += 1) gatherer.add(record(n % 12));
    };
    add(10);
    await eventually(() => expect(sizes()).to.deep.equal([10]));
    add(20);
    await eventually(() => expect(sizes()).to.deep.equal([10, 20]));
    add(30);
    await delay(20);
    expect(sizes()).to.deep.equal([10, 20]);
    add(34);
    await eventually(() => expect(sizes()).to.deep.equal([10, 20, 64]));
    add(40);
    for (const { end } of sent) end();
    await eventually(() => expect(sizes()).to.deep.equal([10, 20, 64, 40]));
  });
});

import { expect } from 'chai';
import { type Command, isTaken, type QueueHolder, takeQueue } from './command-queue.ts';
import { TributaryError } from './tributary-error.ts';

type Log = string[];

function take(cmd: Command<Log>[] | undefined) {
  const log: Log = [];
  const holder: QueueHolder<Log> = cmd ? { cmd } : {};
  const reported: unknown[] = [];
  const warned: string[] = [];
  takeQueue(holder, log, {
    onError: (error) => reported.push(error),
    onRejection: ({ code }) => warned.push(code),
  });
  return { log, holder, reported, warned };
}
const say = (word: string) => (log: Log) => log.push(word);
const settled = () => new Promise((resolve) => setTimeout(resolve));

describe('the command queue', () => {
  it('runs what was queued, in its order, then what is pushed, at once', () => {
    const { log, holder } = take([say('one'), say('two')]);
    expect(log).to.deep.equal(['one', 'two']);
    holder.cmd!.push(say('three'), say('four'));
    expect(log).to.deep.equal(['one', 'two', 'three', 'four']);
  });

  it('takes a command that is pushed by a command', () => {
    const { log, holder } = take(undefined);
    holder.cmd!.push(() => holder.cmd!.push(say('inner')));
    expect(log).to.deep.equal(['inner']);
  });

  it("passes a command's own failure on, and runs the next", async () => {
    const [thrown, rejected] = [new Error('thrown'), new Error('rejected')];
    const { log, reported, warned } = take([
      () => {
        throw thrown;
      },
      async () => {
        throw rejected;
      },
      say('next'),
    ]);
    await settled();
    expect(log).to.deep.equal(['next']);
    expect(reported).to.deep.equal([thrown, rejected]);
    expect(warned).to.deep.equal([]);
  });

  it('reports a rejection of ours that no command caught as what it is', async () => {
    const { reported, warned } = take([
      async () => {
        throw new TributaryError('UNAUTHORIZED', 'no');
      },
    ]);
    await settled();
    expect(reported).to.deep.equal([]);
    expect(warned).to.deep.equal(['UNAUTHORIZED']);
  });

  it('knows that another copy of the script has it', () => {
    expect(isTaken(undefined)).to.equal(false);
    expect(isTaken({})).to.equal(false);
    expect(isTaken({ cmd: [] })).to.equal(false);
    expect(isTaken(take([]).holder)).to.equal(true);
  });
});

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { cpuSeconds } from '../process-cpu.ts';
import { createCpuQuota } from './cpu-quota.ts';

describe('a quota of CPU time', function () {
  this.timeout(20_000);
  let busy: ChildProcess;
  before(() => {
    busy = spawn(process.execPath, ['-e', 'for (;;);'], { cwd: '/', stdio: 'ignore' });
  });
  after(end);

  it('holds a busy process to its share, and says so; pending without control groups', async function () {
    const quota = createCpuQuota(0.1);
    if (!quota) return this.skip();
    try {
      quota.hold(busy.pid!);
      const [startedAt, before] = [performance.now(), cpuSeconds(busy.pid!)];
      // The next tick of its share comes when it has had as much as it may.
      await eventually(() => expect(cpuSeconds(busy.pid!) - before).to.be.above(0.2), {
        deadlineMs: 15_000,
      });
      const share = 0.2 / ((performance.now() - startedAt) / 1_000);
      expect(share).to.be.below(0.15);
      expect(quota.stillHolds()).to.equal(true);
    } finally {
      await end();
      await quota.remove();
    }
  });

  async function end(): Promise<void> {
    if (busy.signalCode !== null) return;
    const ended = once(busy, 'exit');
    busy.kill('SIGKILL');
    await ended;
  }
});

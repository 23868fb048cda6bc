import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { patiently } from '@tributary/testkit/patience';
import { expect } from 'chai';
import { findInspector, inspected, placeOf, type Step, stopAt } from './breakpoint.ts';

const source = `let turns: number = 0;
const turn = (now: number): void => { turns = now; };
function overturn(): void {
  turn(-1);
}
setInterval(() => (turns < 0 ? overturn() : turn(turns + 1)), 5);
`;
const step: Step = {
  ...{ name: 'a tenth turn', file: 'turns.ts', before: 'turns = now;' },
  ...{ when: 'now % 10 === 0', inHand: '`turn ${now}`' },
};

describe('a step of a process', () => {
  let root: string;
  let logFile: string;
  let child: ChildProcess;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'tributary-step-'));
    logFile = join(root, 'turns.log');
    await writeFile(join(root, 'turns.ts'), source);
    const log = openSync(logFile, 'a');
    child = spawn(process.execPath, [join(root, 'turns.ts')], {
      env: { ...process.env, ...inspected },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
  });

  afterEach(async () => {
    await end();
    await rm(root, { recursive: true });
  });

  async function end(): Promise<NodeJS.Signals | null> {
    const gone = child.exitCode === null && child.signalCode === null && once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
    return child.signalCode;
  }

  const stopped = async (at: Step, deadlineMs = patiently(10_000)) =>
    stopAt(await findInspector(logFile, 0), at, { deadlineMs, root });

  it('is where the process stands, before it does that, until it is killed', async () => {
    const { inHand, ...where } = await stopped(step);
    expect(where).to.deep.equal({ file: 'turns.ts', line: 2, functionName: 'turn' });
    expect(inHand).to.match(/^turn \d*0$/);
    expect(child.exitCode).to.equal(null);
    expect(await end()).to.equal('SIGKILL');
  });

  it('is none when the process never comes there', async () => {
    const never = { ...step, before: 'turn(-1);', when: 'true' };
    const end = stopped(never, 200);
    const why = await end.then(String, (error: Error) => error.message);
    expect(why).to.equal('the process never stood at the step a tenth turn: not within 0.2 s');
  });

  it('is none when there is nothing in hand that should be', async () => {
    const why = await stopped({ ...step, inHand: 'none' }).then(String, (e: Error) => e.message);
    expect(why).to.contain('it has nothing in hand: none');
  });

  it('is none when the process ends before', async () => {
    const never = { ...step, before: 'turn(-1);' };
    const inspector = await findInspector(logFile, 0);
    const coming = stopAt(inspector, never, { deadlineMs: patiently(10_000), root });
    child.kill('SIGKILL');
    const why = await coming.then(String, (error: Error) => error.message);
    expect(why).to.match(/never stood at the step .*(debugger is gone|no debugger answers)/);
  });

  it('is found by its text, which is there once', () => {
    expect(placeOf(source, step)).to.deep.equal({ line: 1, column: 38 });
    expect(() => placeOf('', step)).to.throw('its text is 0 times in turns.ts');
    expect(() => placeOf(source.repeat(2), step)).to.throw('its text is 2 times in turns.ts');
  });
});

import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readOptions } from './options.ts';
import { limitMinutesOf, type Outcome, runStage } from './run-stage.ts';
import { type IsWanted, stages, type Stage } from './stages.ts';

describe('npm test', () => {
  it('runs all stages unless some are chosen, and always makes what these need', () => {
    expect(chosen([])).to.deep.equal(stages.map((stage) => stage.name));
    expect(chosen(['--only', 'types,unit'])).to.deep.equal([
      ...['scripts', 'pages', 'clients', 'unit', 'types'],
    ]);
  });

  it('draws the same cases in every run, and new ones with --long', () => {
    const seeds = (args: string[], env = {}) =>
      [1, 2, 3].map(() => (readOptions(args, env) as { seed: number }).seed);
    expect(new Set(seeds([])).size).to.equal(1);
    expect(new Set(seeds(['--long'])).size).to.be.greaterThan(1);
    for (const args of [[], ['--long']]) {
      expect(seeds(args, { TRIBUTARY_TEST_SEED: '7' })).to.deep.equal([7, 7, 7]);
    }
    expect(readOptions(['--long'], {})).to.include({ long: true });
    expect(readOptions([], {})).to.include({ long: false });
  });

  it('refuses a stage, an option or a seed that does not exist', () => {
    expect(readOptions(['--only', 'unti'], {}))
      .to.have.property('mistake')
      .that.includes('unti');
    expect(readOptions(['--fast'], {})).to.have.property('mistake');
    expect(readOptions([], { TRIBUTARY_TEST_SEED: 'today' })).to.have.property('mistake');
  });
});

describe('npm test --changed', function () {
  this.timeout(30_000);

  it('ends with its last line where it cannot compare', async () => {
    const program = join(import.meta.dirname, '..', 'test.ts');
    // No git is on this path.
    const env = { ...process.env, PATH: import.meta.dirname, TRIBUTARY_TEST_PATIENCE: '1' };
    const args = [program, '--changed', '--only', 'format'];
    const { code, stdout } = (await promisify(execFile)(process.execPath, args, { env }).catch(
      (error: unknown) => error as { code: number; stdout: string },
    )) as { code?: number; stdout: string };
    expect(code).to.equal(1);
    expect(stdout).to.include('compares with the branch main');
    expect(stdout).to.match(/\n0 passed, 1 failed\n$/);
  });
});

describe('the limit of a stage', () => {
  it('grows where deadlines are longer than those of a usual run', () => {
    const stage = { ...stages[0]!, limitMinutes: 10 };
    const limits = ['', '1', '6', '12', '18'].map((patience) =>
      limitMinutesOf(stage, { TRIBUTARY_TEST_PATIENCE: patience }),
    );
    expect(limits).to.deep.equal([10, 10, 10, 20, 30]);
  });
});

describe('a stage', function () {
  this.timeout(30_000);
  const root = join(import.meta.dirname, '..', '..', '..');
  let temp: string;
  let output: string;

  beforeEach(() => {
    temp = mkdtempSync(join(tmpdir(), 'tributary-run-stage-'));
    output = '';
  });

  afterEach(() => rmSync(temp, { recursive: true, force: true }));

  /** Each text is a spec; each list of them runs in a process of its own. */
  function run(...groups: string[][]): Promise<Outcome> {
    return runWanted(undefined, groups);
  }

  function runWanted(isWanted: IsWanted | undefined, groups: string[][]): Promise<Outcome> {
    let count = 0;
    const files = groups.map((texts) =>
      texts.map((text) => {
        const file = join(temp, `some-${(count += 1)}.spec.mjs`);
        writeFileSync(file, text);
        return file;
      }),
    );
    const stage: Stage = {
      ...{ name: 'some', kind: 'mocha', limitMinutes: 1, timeoutMs: 2_000, sharedServers: false },
      lanes: 2,
      chunks: (wanted) => Promise.resolve(files.map((inIt) => ({ files: inIt.filter(wanted) }))),
    };
    return runStage(stage, {
      ...{ root, temp, lingerMs: 1_000, env: { ...process.env, FORCE_COLOR: '0' } },
      signal: new AbortController().signal,
      ...(isWanted && { isWanted }),
      write: (text) => void (output += text),
    });
  }

  it('without tests counts as a failure', async () => {
    const { passed, failures } = await run([], []);
    expect(passed).to.equal(0);
    expect(failures.map(({ title }) => title).join()).to.include('no test');
    expect(output).to.include('no test');
  });

  it('runs only what a change can reach, and passes when that is nothing', async () => {
    const specs = [[`it('one', () => {});`], [`it('two', () => {});`]];
    expect((await runWanted((file) => file.includes('some-2'), specs)).passed).to.equal(1);
    expect(output).to.include('two').and.not.include('one');
    const none = await runWanted(() => false, specs);
    expect(none).to.deep.equal({ passed: 0, failures: [], timings: [] });
    expect(output).to.include('the change reaches none of its tests');
  });

  it('tells of each failure its name, its file, what differs and where', async () => {
    const { passed, failures } = await run([
      `describe('sums', () => {
         it('add', () => {});
         it('differ', () => {
           throw Object.assign(new Error('not the same'), {
             ...{ actual: { total: 1 }, expected: { total: 2 }, showDiff: true },
             cause: new Error('a slip'),
           });
         });
       });
       describe('hooks', () => {
         before('open', () => { throw new Error('closed'); });
         it('never runs', () => {});
       });`,
    ]);
    expect(passed).to.equal(1);
    expect(failures).to.have.length(2);
    const [differ, hook] = failures;
    expect(differ?.title).to.match(/^sums differ \(.*some-1\.spec\.mjs\)$/);
    for (const part of ['not the same', '"total": 1', '"total": 2', 'a slip', 'some-1.spec.mjs:']) {
      expect(differ?.details).to.include(part);
    }
    expect(hook?.title).to.include('hooks "before all" hook: open');
    expect(hook?.details).to.include('closed');
  });

  it('adds up what runs side by side, and shows each output in one piece', async () => {
    const { passed, failures } = await run(
      [`it('a one', () => {}); it('a two', (done) => setTimeout(done, 500));`],
      [`it('b one', () => {}); it('b two', () => { throw new Error('b fails'); });`],
      [`it('c one', () => {});`],
    );
    expect(passed).to.equal(4);
    expect(failures.map(({ title }) => title).join()).to.include('b two');
    const order = ['a one', 'a two', '2 passing', 'b one', '1 failing', 'c one'];
    expect(order.map((text) => output.indexOf(text))).to.satisfy(isAscending);
  });

  it('tells what each test and hook took, and which file it is in', async () => {
    const { timings } = await run([
      `describe('clock', () => {
         before('wind', (done) => setTimeout(done, 60));
         it('ticks', (done) => setTimeout(done, 40));
         it('stops', (done) => setTimeout(() => done(new Error('no spring')), 20));
       });`,
    ]);
    const expected = { 'clock "before all" hook: wind for "ticks"': 55, 'clock ticks': 35 };
    for (const [title, least] of Object.entries({ ...expected, 'clock stops': 15 })) {
      const found = timings.find((timing) => timing.title === title);
      expect(found?.ms, title).to.be.at.least(least);
      expect(found?.file).to.match(/some-1\.spec\.mjs$/);
    }
  });

  it('that crashes tells what passed, what failed, where it was and what it said', async () => {
    const { passed, failures } = await run([
      `it('passes', () => {});
       it('fails', () => { throw new Error('as it must'); });
       it('crashes', () => { console.log('last words'); process.kill(process.pid, 'SIGKILL'); });`,
    ]);
    expect(passed).to.equal(1);
    expect(failures).to.have.length(2);
    expect(failures[0]?.details).to.include('as it must');
    expect(failures[1]?.title).to.include('in "crashes"');
    expect(failures[1]?.details).to.include('last words');
    expect(output).to.include('ended before its tests did');
  });

  it('that passes and then breaks counts as a failure', async () => {
    const { passed, failures } = await run([
      `it('passes', () => void setTimeout(() => { throw new Error('too late'); }, 300));`,
    ]);
    expect(passed).to.equal(1);
    expect(failures.map(({ title }) => title)).to.deep.equal([
      'ended with an error outside of its tests',
    ]);
    expect(failures[0]?.details).to.include('too late');
  });

  it('whose process does not end tells what keeps it alive', async () => {
    const { passed, failures } = await run([
      `import { createServer } from 'node:net';
       it('opens', (done) => void createServer().listen(0, '127.0.0.1', done));`,
    ]);
    expect(passed).to.equal(1);
    expect(failures).to.have.length(1);
    expect(failures[0]?.title).to.include('keeps its process alive');
    expect(failures[0]?.details).to.match(/tcp at (127\.0\.0\.1|localhost):\d+/);
  });

  it('whose process does not end tells which names it looks up', async () => {
    // Look-ups wait for one of four threads, and each of those for somebody who writes.
    const { failures } = await run([
      `import { execFileSync } from 'node:child_process';
       import { mkdtempSync } from 'node:fs';
       import { open } from 'node:fs/promises';
       import { connect } from 'node:net';
       const pipe = mkdtempSync('${temp}/') + '/pipe';
       it('looks up', () => {
         execFileSync('mkfifo', [pipe]);
         for (let thread = 0; thread < 4; thread += 1) void open(pipe);
         connect(80, 'receiver.example').on('error', () => undefined);
       });`,
    ]);
    expect(failures[0]?.title).to.include('keeps its process alive');
    expect(failures[0]?.details).to.match(/^looks up receiver\.example$/m);
  });
});

function isAscending(numbers: number[]): boolean {
  return numbers.every((n, i) => n >= 0 && (i === 0 || n > numbers[i - 1]!));
}

function chosen(args: string[]): string[] {
  const options = readOptions(args, {});
  return 'mistake' in options ? [] : options.chosen.map((stage) => stage.name);
}

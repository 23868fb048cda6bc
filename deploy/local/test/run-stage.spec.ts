import { expect } from 'chai';
import { tmpdir } from 'node:os';
import { readOptions } from './options.ts';
import { runStage } from './run-stage.ts';
import { stages, type Stage } from './stages.ts';

describe('npm test', () => {
  it('runs all stages unless some are chosen', () => {
    expect(chosen([])).to.deep.equal(stages.map((stage) => stage.name));
    expect(chosen(['--only', 'types,unit'])).to.deep.equal(['types', 'unit']);
  });

  it('asks for longer seeds with --long', () => {
    expect(readOptions(['--long'])).to.include({ long: true });
    expect(readOptions([])).to.include({ long: false });
  });

  it('refuses a stage or an option that does not exist', () => {
    expect(readOptions(['--only', 'unti']))
      .to.have.property('mistake')
      .that.includes('unti');
    expect(readOptions(['--fast'])).to.have.property('mistake');
  });

  it('counts a stage without tests as a failure', async () => {
    const said: string[] = [];
    const stage: Stage = {
      kind: 'mocha',
      ...{ name: 'empty', limitMinutes: 1, timeoutMs: 1, sharedServers: false },
      files: () => Promise.resolve([]),
    };
    const counts = await runStage(stage, {
      ...{ root: '.', temp: tmpdir(), env: {}, signal: new AbortController().signal },
      say: (line) => void said.push(line),
    });
    expect(counts).to.deep.equal({ passed: 0, failed: 1 });
    expect(said.join()).to.include('no test');
  });
});

function chosen(args: string[]): string[] {
  const options = readOptions(args);
  return 'mistake' in options ? [] : options.chosen.map((stage) => stage.name);
}

import { expect } from 'chai';
import { phaseNames, readOptions } from './options.ts';

describe('arguments of npm run k8s', () => {
  it('means all phases without any', () => {
    const rest = { build: false, keep: false, minutes: 3 };
    expect(readOptions([])).to.deep.equal({ phases: phaseNames, ...rest });
  });

  it('takes phases by name and by number, in their own order', () => {
    const options = readOptions(['--only', 'scaling,1', '--keep', '--minutes', '0.5']);
    const rest = { build: false, keep: true, minutes: 0.5 };
    expect(options).to.deep.equal({ phases: ['main-job', 'scaling'], ...rest });
  });

  it('upgrades an earlier release, and does nothing else then', () => {
    const rest = { build: false, keep: false, minutes: 0 };
    expect(readOptions(['--from', 'earlier'])).to.deep.equal({
      ...{ phases: ['upgrade'], from: 'earlier', ...rest },
    });
  });

  for (const args of [
    ['--from', ''],
    ['--from', 'earlier', '--only', 'faults'],
    ['--from', 'earlier', '--build'],
    ['--only', 'upgrade'],
    ['--only', 'nothing'],
    ['--only', '5'],
    ['--only', ''],
    ['--minutes', '0'],
    ['--minutes', 'x'],
    ['--other'],
    ['main-job'],
  ]) {
    it(`refuses ${args.join(' ')}`, () => {
      expect(readOptions(args)).to.equal(undefined);
    });
  }
});

import { expect } from 'chai';
import { join } from 'node:path';
import { repository, stateDirFrom } from './state-dir.ts';

describe('the state directory of a local stack', () => {
  const usual = join(repository, '.tributary');

  it('is .tributary of the repository, also where the variable is set to nothing', () => {
    expect(stateDirFrom({}).root).to.equal(usual);
    expect(stateDirFrom({ TRIBUTARY_LOCAL_STATE_DIR: '' }).root).to.equal(usual);
  });

  it('is the one that the variable names', () => {
    const env = { TRIBUTARY_LOCAL_STATE_DIR: '/var/tmp/second-stack' };
    expect(stateDirFrom(env).root).to.equal('/var/tmp/second-stack');
  });
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import Mocha from 'mocha';
import { attackMade, everyTestAttacks, readAttacks } from './attacks.ts';

describe('the attacks of a run', () => {
  const dir = mkdtempSync(join(tmpdir(), 'tributary-attacks-'));
  const file = join(dir, 'attacks.jsonl');
  const before = process.env['TRIBUTARY_ATTACKS'];
  beforeEach(() => {
    process.env['TRIBUTARY_ATTACKS'] = file;
  });
  afterEach(() => {
    rmSync(file, { force: true });
    if (before === undefined) delete process.env['TRIBUTARY_ATTACKS'];
    else process.env['TRIBUTARY_ATTACKS'] = before;
  });
  after(() => rmSync(dir, { recursive: true }));

  it('are none where none was made', () => {
    expect(readAttacks(file)).to.deep.equal([]);
  });

  it('are noted one by one, each as often as it was made', () => {
    attackMade('roles', 'a');
    attackMade('tokens', 'b');
    attackMade('roles', 'a');
    expect(readAttacks(file)).to.deep.equal([
      { group: 'roles', what: 'a' },
      { group: 'tokens', what: 'b' },
      { group: 'roles', what: 'a' },
    ]);
  });

  it('are the tests of a suite of attacks that passed, and no others', async () => {
    const suite = Mocha.Suite.create(new Mocha.Suite('requests', new Mocha.Context()), 'hostile');
    everyTestAttacks('smuggling', (hook) => void suite.afterEach(hook));
    suite.addTest(new Mocha.Test('is refused', () => undefined));
    suite.addTest(
      new Mocha.Test('gets in', () => {
        throw new Error('it got in');
      }),
    );
    await new Promise((done) => new Mocha.Runner(suite.parent!, {}).run(done));
    expect(readAttacks(file)).to.deep.equal([
      { group: 'smuggling', what: 'requests hostile is refused' },
    ]);
  });
});

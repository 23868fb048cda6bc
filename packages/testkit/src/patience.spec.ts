import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readPatience } from './patience.ts';

describe('the patience of tests', function () {
  this.timeout(30_000);
  const root = join(import.meta.dirname, '..', '..', '..');
  let dir: string;

  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'tributary-patience-'));
    await writeFile(
      join(dir, 'slow.spec.cjs'),
      `describe('slow', function () {
         this.timeout(200);
         before((done) => setTimeout(done, 400));
         describe('inside', () => {
           beforeEach((done) => setTimeout(done, 400));
           it('test', (done) => setTimeout(done, 400));
           it('of its own', (done) => setTimeout(done, 400)).timeout(150);
           it('in its body', function (done) { this.timeout(150); setTimeout(done, 400); });
           it('without end', function (done) { this.timeout(0); setTimeout(done, 400); });
         });
       });`,
    );
  });
  after(() => rm(dir, { recursive: true, force: true }));

  async function run(patience: string): Promise<string> {
    const mocha = join(root, 'node_modules/mocha/bin/mocha.js');
    const env = { ...process.env, TRIBUTARY_TEST_PATIENCE: patience };
    const args = [mocha, join(dir, 'slow.spec.cjs')];
    const options = { cwd: root, env };
    const ended = promisify(execFile)(process.execPath, args, options).catch(
      (error: unknown) => error as { stdout: string },
    );
    return (await ended).stdout;
  }

  it('multiplies the time that tests and hooks may take', async () => {
    expect(await run('20')).to.match(/4 passing/);
    expect(await run('1')).to.match(/Timeout of 200ms exceeded/);
  });

  it('is a factor from 1 to 20, and 1 by default', () => {
    expect([undefined, '', '1', '2.5'].map(readPatience)).to.deep.equal([1, 1, 1, 2.5]);
    for (const text of ['0', '-1', 'much', '21']) {
      expect(() => readPatience(text), text).to.throw(/TRIBUTARY_TEST_PATIENCE/);
    }
  });
});

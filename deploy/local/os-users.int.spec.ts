import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { startNode } from './node-process.ts';
import { type ProcessName, uidOf } from './os-users.ts';
import { ownDirectory, ownFile } from './process-files.ts';
import { makeStateDir, stateDirAt } from './state-dir.ts';

describe('the users of a local stack', () => {
  let root: string;
  before(() => (root = mkdtempSync(join(tmpdir(), 'tributary-users-'))));
  after(() => rmSync(root, { recursive: true }));

  it('are one for each process where root starts it, else the one who does', async () => {
    const names = ['ingest-api', 'portal', 'kafka', 'edge', 'demo-shop'] as const;
    const uids = names.map((name) => uidOf(name) ?? process.getuid!());
    if (process.getuid!() === 0) expect(new Set(uids).size).to.equal(names.length);
    expect((await tryAs('portal')).uid).to.equal(uids[1]);
  });

  it('see of the state directory what is their own, and no secret', async () => {
    const state = stateDirAt(root);
    makeStateDir(state);
    writeFileSync(state.secretsFile, '{}', { mode: 0o600 });
    const own = await ownDirectory(state, 'portal');
    const foreign = await ownDirectory(state, 'replay');
    const found = await tryAs('portal', own, foreign, state.secretsFile, state.logs);
    expect(found.writes).to.include(own);
    if (uidOf('portal') === undefined) return expect(found.uid).to.equal(process.getuid!());
    expect(found.writes).to.deep.equal([own]);
    expect(found.reads).to.deep.equal([own]);
  });

  it('keep what an earlier release had as files of root', async () => {
    const state = stateDirAt(root);
    makeStateDir(state);
    writeFileSync(join(state.data, 'received.jsonl'), 'kept\n');
    const file = await ownFile(state, 'demo-receiver', 'received.jsonl');
    expect(readFileSync(file, 'utf8')).to.equal('kept\n');
    expect(statSync(file).uid).to.equal(uidOf('demo-receiver') ?? process.getuid!());
  });

  type Found = { uid: number; reads: string[]; writes: string[] };

  /** Runs a script as that process, which says who it is and what it can open. */
  async function tryAs(user: ProcessName, ...paths: string[]): Promise<Found> {
    const dir = join(import.meta.dirname, '../../node_modules/.cache/tributary');
    mkdirSync(dir, { recursive: true });
    const script = join(dir, `try-${process.pid}.mjs`);
    const logFile = join(root, `${user}-${paths.length}.log`);
    writeFileSync(script, tryToOpen(paths));
    try {
      await startNode({ script, env: {}, cwd: '/', logFile, user }).exited;
      return JSON.parse(readFileSync(logFile, 'utf8')) as Found;
    } finally {
      rmSync(script);
    }
  }
});

function tryToOpen(paths: readonly string[]): string {
  return `
    import { accessSync, constants } from 'node:fs';
    const can = (mode) => ${JSON.stringify(paths)}.filter((path) => {
      try {
        accessSync(path, mode);
        return true;
      } catch {
        return false;
      }
    });
    const found = { uid: process.getuid(), reads: can(constants.R_OK), writes: can(constants.W_OK) };
    console.log(JSON.stringify(found));`;
}

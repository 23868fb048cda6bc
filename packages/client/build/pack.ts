import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { clientDir, compileClient } from './compile.ts';

export type Packed = { filename: string; files: { path: string }[] };

/**
 * Makes the tarball of the client in `destination`, from a folder of its own, so that several may
 * do so at once. It is what `npm pack ./packages/client` makes; only npm's scripts are left out.
 */
export async function packClient(
  destination: string,
  env?: Record<string, string | undefined>,
): Promise<Packed> {
  const stage = await mkdtemp(join(tmpdir(), 'tributary-client-'));
  try {
    const text = await readFile(join(clientDir, 'package.json'), 'utf8');
    const { scripts: _scripts, ...manifest } = JSON.parse(text) as Record<string, unknown>;
    await writeFile(join(stage, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
    await copyFile(join(clientDir, 'README.md'), join(stage, 'README.md'));
    await compileClient(join(stage, 'dist'));
    const flags = ['--json', '--ignore-scripts', '--offline', '--pack-destination', destination];
    const { stdout } = await promisify(execFile)('npm', ['pack', ...flags], {
      cwd: stage,
      ...(env !== undefined && { env }),
    });
    const [packed] = JSON.parse(stdout) as [Packed];
    return packed;
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
}

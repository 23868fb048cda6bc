import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

export const clientDir = join(import.meta.dirname, '..');

/**
 * Compiles the sources into `outDir`. The compiler is found as a module and not on the PATH, which
 * has it only where a package manager has put it.
 */
export async function compileClient(outDir: string): Promise<void> {
  await rm(outDir, { recursive: true, force: true });
  const manifest = createRequire(import.meta.url).resolve('typescript/package.json');
  const tsc = join(dirname(manifest), 'bin/tsc');
  const args = [tsc, '-p', join(clientDir, 'tsconfig.build.json'), '--outDir', outDir];
  try {
    await promisify(execFile)(process.execPath, args);
  } catch (error) {
    throw new Error((error as { stdout: string }).stdout, { cause: error });
  }
}

import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** In MiB, by server. */
export type DiskSizes = { kafka?: number; postgres?: number };

/**
 * Gives a directory a file system of its own, in memory, that can fill up without harm to anything
 * else. It and all that is on it is gone when it is unmounted, which a process that still uses it
 * does not hold up.
 *
 * @throws where this is not root, or root may not mount.
 */
export async function mountDisk(dir: string, mebibytes: number): Promise<() => Promise<void>> {
  await mkdir(dir, { recursive: true });
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tributary', dir]);
  } catch (cause) {
    throw new Error(`a disk of its own for ${dir} needs root that may mount`, { cause });
  }
  return async () => void (await run('umount', ['--lazy', dir]));
}

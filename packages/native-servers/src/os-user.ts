import { existsSync } from 'node:fs';
import { chmod, lchown, lstat, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Makes a directory and all that is in it the user's own, closed to every other user: where root
 * starts something as another user. Without one it only makes the directory.
 */
export async function giveDirectory(dir: string, uid: number | undefined): Promise<void> {
  await mkdir(dir, { recursive: true });
  if (uid === undefined) return;
  await chmod(dir, 0o700);
  await give(dir, uid);
}

async function give(path: string, uid: number): Promise<void> {
  const found = await lstat(path);
  if (found.uid !== uid) await lchown(path, uid, uid);
  if (!found.isDirectory()) return;
  for (const name of await readdir(path)) await give(join(path, name), uid);
}

/** Whether a process of root can start another one as another user: setpriv is of util-linux. */
export function canChooseUser(): boolean {
  return process.getuid?.() === 0 && existsSync('/usr/bin/setpriv');
}

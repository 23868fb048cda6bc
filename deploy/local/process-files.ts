import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { giveDirectory } from '@tributary/native-servers/os-user';
import { type ProcessName, uidOf } from './os-users.ts';
import type { StateDir } from './state-dir.ts';

/** A directory of that process alone, below the data of the state directory. */
export async function ownDirectory(state: StateDir, name: ProcessName): Promise<string> {
  return ownDirectoryIn(state.data, name);
}

/** The same in any directory, which the process may pass through. */
export async function ownDirectoryIn(parent: string, name: ProcessName): Promise<string> {
  const uid = uidOf(name);
  if (uid !== undefined) await chmod(parent, 0o711);
  const dir = join(parent, name);
  await giveDirectory(dir, uid);
  return dir;
}

/** A file there; an earlier release had it beside the directories. */
export async function ownFile(state: StateDir, name: ProcessName, file: string): Promise<string> {
  const path = join(state.data, name, file);
  const before = join(state.data, file);
  if (existsSync(before)) {
    mkdirSync(join(state.data, name), { recursive: true });
    renameSync(before, path);
  }
  await ownDirectory(state, name);
  return path;
}

import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  statSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { canChooseUser } from '@tributary/native-servers/os-user';
import { repository } from './state-dir.ts';

// A stack that root starts runs nothing as root: every service and server has a user of its own, by
// number, so that none has to be made on the machine. Postgres has the one that its package made.

const names = [
  ...['kafka', 'redis', 'edge', 'demo-receiver', 'demo-shop', 'topics'],
  ...['ingest-api', 'legacy-events', 'processor-events', 'attribution', 'rewards'],
  ...['webhook-dispatcher', 'replay', 'widget', 'portal', 'edge-metrics'],
] as const;

export type ProcessName = (typeof names)[number];

const firstUid = 64_200;

/** The user, and the group of the same number; undefined where nobody but us can be chosen. */
export function uidOf(name: ProcessName): number | undefined {
  return canChooseUser() ? firstUid + names.indexOf(name) : undefined;
}

/** The flags of setpriv for a Node process of that user. */
export function userFlags(uid: number | undefined, script: string): string[] {
  if (uid === undefined) return [];
  const flags = ['--reuid', `${uid}`, '--regid', `${uid}`, '--clear-groups'];
  if (isOpenToOthers(script) && isOpenToOthers(nodeFor(uid))) return flags;
  // A checkout in a closed home: the process may read what root may, and write nothing of it.
  return [...flags, '--inh-caps', '+dac_read_search', '--ambient-caps', '+dac_read_search'];
}

/** Node itself is often in the closed home of root; then a copy that others reach. */
export function nodeFor(uid: number | undefined): string {
  if (uid === undefined || isOpenToOthers(process.execPath)) return process.execPath;
  const dir = join(repository, 'node_modules', '.cache', 'tributary');
  const { ino, size } = statSync(process.execPath);
  const copy = join(dir, `node-${process.version}-${ino}`);
  if (existsSync(copy) && statSync(copy).size === size) return copy;
  mkdirSync(dir, { recursive: true });
  try {
    linkSync(process.execPath, copy);
  } catch {
    copyFileSync(process.execPath, copy);
    chmodSync(copy, 0o755);
  }
  return copy;
}

/** Where that user's processes keep what Node has compiled: what one writes, no other one runs. */
export function compileCacheFor(uid: number | undefined, dir: string): string {
  if (uid === undefined) return dir;
  const own = join(dir, String(uid));
  mkdirSync(own, { recursive: true, mode: 0o700 });
  chownSync(own, uid, uid);
  return own;
}

function isOpenToOthers(file: string): boolean {
  const path = resolve(file);
  if ((statSync(path).mode & 0o004) === 0) return false;
  for (let at = dirname(path); ; at = dirname(at)) {
    if ((statSync(at).mode & 0o001) === 0) return false;
    if (at === dirname(at)) return true;
  }
}

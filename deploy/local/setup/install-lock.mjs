import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { cache } from './places.mjs';

const lockFile = join(cache, 'set-up.lock');

/** One set-up at a time per cache. The lock names its process; that of a dead one is taken over. */
export async function withInstallLock(work) {
  mkdirSync(cache, { recursive: true });
  let printed = false;
  while (!tryLock()) {
    const owner = Number(readOwner());
    if (!lives(owner)) {
      rmSync(lockFile, { force: true });
      continue;
    }
    if (!printed) process.stderr.write(`set-up: waiting for another set-up (process ${owner})\n`);
    printed = true;
    await delay(200);
  }
  try {
    return await work();
  } finally {
    rmSync(lockFile, { force: true });
  }
}

function tryLock() {
  try {
    writeFileSync(lockFile, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

function readOwner() {
  try {
    return readFileSync(lockFile, 'utf8') || String(process.pid); // Empty: about to be written.
  } catch {
    return String(process.pid); // Gone this moment; the next try gets it.
  }
}

function lives(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

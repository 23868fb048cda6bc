import { spawn } from 'node:child_process';
import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeStateDir, type StateDir } from './state-dir.ts';

/**
 * Runs `start` in a process of its own that outlives this one, showing its log until it says that
 * it is ready. Rejects when it ends before.
 */
export async function startInBackground(state: StateDir): Promise<void> {
  makeStateDir(state);
  const file = join(state.logs, 'stack.log');
  const log = openSync(file, 'w', 0o600);
  const script = fileURLToPath(new URL('start.ts', import.meta.url));
  const child = spawn(process.execPath, [script, '--in-background'], {
    stdio: ['ignore', log, log, 'ipc'],
    detached: true,
  });
  closeSync(log);
  const follow = followFile(file);
  const outcome = await new Promise<'ready' | 'ended'>((resolve) => {
    child.once('message', () => resolve('ready'));
    child.once('exit', () => resolve('ended'));
  });
  follow.stop();
  if (outcome === 'ended') throw new Error(`the start failed; its log is ${file}`);
  child.disconnect();
  child.unref();
  console.log('Running in the background: npm run status, npm run stop');
}

/** Copies what is appended to a file to standard output. */
function followFile(file: string): { stop(): void } {
  const descriptor = openSync(file, 'r');
  const buffer = Buffer.alloc(65_536);
  const copy = () => {
    let bytes = readSync(descriptor, buffer);
    while (bytes > 0) {
      process.stdout.write(Buffer.from(buffer.subarray(0, bytes)));
      bytes = readSync(descriptor, buffer);
    }
  };
  const timer = setInterval(copy, 100);
  return {
    stop() {
      clearInterval(timer);
      copy();
      closeSync(descriptor);
    },
  };
}

import { execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import { repository } from './state-dir.ts';

/** Runs `docker compose` with its output on ours; rejects unless it succeeds. */
export function compose(args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    // A process group of its own: Ctrl-C is for us, who then take it down.
    const child = spawn('docker', ['compose', ...args], {
      cwd: repository,
      stdio: ['ignore', 'inherit', 'inherit'],
      detached: true,
    });
    child.once('error', (cause) => reject(new Error('docker cannot be run', { cause })));
    child.once('exit', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`docker compose ${args[0]} ended with code ${code}`));
    });
  });
}

/** Runs `docker compose` and gives its output. */
export async function capture(args: readonly string[]): Promise<string> {
  const command = ['compose', ...args];
  const { stdout } = await promisify(execFile)('docker', command, { cwd: repository });
  return stdout;
}

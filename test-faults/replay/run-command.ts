import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import { repository } from '../../deploy/local/state-dir.ts';

export type Ran = { code: number | null; out: string; err: string };

/** `tributary …` as a process of its own. */
export async function runCommand(
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Ran> {
  const main = join(repository, 'packages/cli/src/main.ts');
  const child = spawn(process.execPath, [main, ...argv], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  return { code, out, err };
}

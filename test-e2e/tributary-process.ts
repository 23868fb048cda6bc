import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

const main = new URL('../packages/cli/src/main.ts', import.meta.url).pathname;

/** Runs a command line as a person would. */
export async function tributary(
  argv: readonly string[],
  input = '',
  env: Record<string, string> = {},
) {
  const child = spawn(process.execPath, [main, ...argv], {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.end(input);
  const ended = once(child, 'exit');
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = (await ended) as [number | null];
  return { code, out: `${out}${err}` };
}

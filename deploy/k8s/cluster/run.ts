import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Runs a program to its end. @throws with what it wrote to stderr. */
export async function run(
  command: string,
  args: readonly string[],
  options: { env?: Record<string, string>; input?: string; signal?: AbortSignal | undefined } = {},
): Promise<string> {
  const { env, input, signal } = options;
  const running = promisify(execFile)(command, args, {
    env: { ...process.env, ...env },
    maxBuffer: 256 * 1024 * 1024,
    signal,
  });
  running.child.stdin?.on('error', () => undefined); // It ended before it had read all.
  running.child.stdin?.end(input);
  try {
    return (await running).stdout;
  } catch (error) {
    const { stderr = '' } = error as { stderr?: string };
    const said = stderr.trim().split('\n').slice(-12).join('\n');
    throw new Error(`${command} ${args.slice(0, 3).join(' ')} failed: ${said || String(error)}`, {
      cause: error,
    });
  }
}

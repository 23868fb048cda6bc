import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

export type Script = {
  process: ChildProcess;
  /** What it has written so far. */
  output: { stdout: string; stderr: string };
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
};

/**
 * Runs TypeScript as a process of its own, for what can only be seen from outside: exit codes,
 * signals, standard output. Imports need absolute URLs, see {@link moduleUrl}. The environment is
 * only what is given.
 */
export function runScript(source: string, env: Record<string, string> = {}): Script {
  const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', source], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
  const ended = once(child, 'close').then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as NodeJS.Signals | null,
  }));
  return { process: child, output, ended };
}

/**
 * A module of this package as text for an import in a script:
 * `import … from ${moduleUrl('./x.ts')}`.
 */
export function moduleUrl(path: string): string {
  return JSON.stringify(new URL(path, import.meta.url).href);
}

/** The JSON lines of a log. */
export function logLines(text: string): Record<string, unknown>[] {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

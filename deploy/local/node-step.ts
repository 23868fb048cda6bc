import { join } from 'node:path';
import { tailOf } from './log-tail.ts';
import type { ProcessName } from './os-users.ts';
import { startNode } from './node-process.ts';
import { repository } from './state-dir.ts';

/** Runs a script of this repository to its end; rejects with the tail of its log when it fails. */
export async function runScript(options: {
  script: string;
  env: Record<string, string>;
  logFile: string;
  user: ProcessName;
}): Promise<void> {
  const script = join(repository, options.script);
  const { exited } = startNode({ ...options, script, cwd: repository });
  const { code, signal } = await exited;
  if (code === 0) return;
  const how = signal ?? `code ${code}`;
  throw new Error(`${options.script} ended with ${how}:\n${tailOf(options.logFile)}`);
}

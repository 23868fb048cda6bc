import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { ProcessContext } from './process-context.ts';

export const stateDirVariable = 'TRIBUTARY_LOCAL_STATE_DIR';

/**
 * What `npm start` left of a system: its file, and the text in it, undefined when there is none.
 */
export type DemoFile = { path: string; text: string | undefined };

/**
 * `npm start` keeps a second system in another state directory, by the same variable: so a shell
 * that starts it also means it, and never the one in .tributary.
 */
export async function readDemoFile({
  env,
  cwd,
}: Pick<ProcessContext, 'env' | 'cwd'>): Promise<DemoFile> {
  const named = env[stateDirVariable];
  const stateDir = named === undefined || named === '' ? join(cwd, '.tributary') : named;
  const path = join(resolve(cwd, stateDir), 'demo.json');
  return { path, text: await readFile(path, 'utf8').catch(() => undefined) };
}

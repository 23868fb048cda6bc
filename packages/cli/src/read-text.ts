import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { UsageError } from './failures.ts';
import type { ProcessContext } from './process-context.ts';

/** The text of a file, or of the standard input for `-`. @throws {UsageError} */
export async function readText(file: string, { cwd, input }: ProcessContext): Promise<string> {
  if (file === '-') {
    const chunks: Buffer[] = [];
    for await (const chunk of input) chunks.push(Buffer.from(chunk));
    return Buffer.concat(chunks).toString('utf8');
  }
  try {
    return await readFile(resolve(cwd, file), 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'there is no such file' : message;
    throw new UsageError(`Cannot read ${file}: ${reason}.`, { cause: error });
  }
}

/** The password in a file: its text without the line end that an editor puts behind it. */
export function passwordOf(text: string): string {
  return text.replace(/\r?\n$/, '');
}

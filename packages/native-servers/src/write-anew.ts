import { rm, writeFile } from 'node:fs/promises';

/**
 * Writes a file in a directory that may belong to another user: what is there in its place, a link
 * to something of ours for instance, is removed and never written through.
 */
export async function writeAnew(file: string, text: string, mode = 0o644): Promise<void> {
  await rm(file, { force: true });
  await writeFile(file, text, { flag: 'wx', mode });
}

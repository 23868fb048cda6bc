import { readFileSync } from 'node:fs';
import type { LineFile } from '../../domain/live-state.ts';

/** All lines of files that are told to hold so many each. */
export function openLines(files: readonly LineFile[]): string[] {
  return files.flatMap(({ path, lines }) => {
    const texts = readFileSync(path, 'utf8').split('\n').slice(0, -1);
    if (texts.length !== lines) throw new Error(`${path} has ${texts.length} lines, not ${lines}`);
    return texts;
  });
}

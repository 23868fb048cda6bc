import { createReadStream } from 'node:fs';
import type { LineFile } from '../domain/live-state.ts';

/** The texts of files of lines, many at once. */
export async function* readLines(
  files: readonly Pick<LineFile, 'path'>[],
): AsyncGenerator<string[], void, void> {
  for (const { path } of files) {
    let rest = '';
    const chunks = createReadStream(path, { encoding: 'utf8', highWaterMark: 1 << 20 });
    for await (const chunk of chunks as AsyncIterable<string>) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      if (lines.length > 0) yield lines;
    }
    if (rest !== '') yield [rest];
  }
}

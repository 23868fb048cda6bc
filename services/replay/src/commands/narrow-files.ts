import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { fromLine } from '@tributary/contracts/state-item';
import { readLines } from '../live/read-lines.ts';
import type { LineFile } from '../domain/live-state.ts';

/** The lines of one user alone: of a new user's decisions, of a recipient's rewards and totals. */
export async function narrowFiles(
  files: readonly LineFile[],
  { userId, dir }: { userId: string; dir: string },
): Promise<LineFile[]> {
  const path = join(dir, 'narrowed.lines');
  const out = createWriteStream(path);
  // As it stands in the text of a line; only what has it is read as a whole.
  const needle = JSON.stringify(userId);
  let lines = 0;
  for await (const texts of readLines(files)) {
    for (const text of texts) {
      if (!text.includes(needle)) continue;
      const line = fromLine(text);
      if ((line.kind === 'decision' ? line.newUserId : line.recipientId) !== userId) continue;
      lines += 1;
      if (!out.write(`${text}\n`)) await once(out, 'drain');
    }
  }
  out.end();
  await once(out, 'close');
  return [{ path, lines }];
}

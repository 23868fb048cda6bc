import { readPositions, textOfOffsets } from '@tributary/event-log/position';
import type { TextRow } from '@tributary/runtime/read-pages';
import { inSnapshot, type SnapshotOf } from '@tributary/runtime/snapshot';
import { serveThreadStream } from '@tributary/runtime/thread-stream';
import { type Narrowing, readRecipientRows, readRewardRows } from '../db/state-rows.ts';
import { recipientLine, rewardLine } from './state-lines.ts';

// The thread that tells rewards and recipients in one snapshot: nothing at first, so that it stands
// ready before releases wait for it; then a line with positions, the lines, a line with their
// number.

export type StateRequest = Narrowing & { snapshotOf: SnapshotOf; projection: string };

async function* tell({ snapshotOf, projection, ...narrowing }: StateRequest) {
  yield '';
  yield* inSnapshot(snapshotOf, async function* (tx) {
    const positions = await readPositions(tx, projection);
    yield `${JSON.stringify({ positions: textOfOffsets(positions) })}\n`;
    let lines = 0;
    const parts = [
      { pages: readRewardRows(tx, narrowing), lineOf: rewardLine },
      { pages: readRecipientRows(tx, narrowing), lineOf: recipientLine },
    ];
    for (const { pages, lineOf } of parts) {
      for await (const rows of pages) {
        const page = linesOf(rows, lineOf);
        lines += page.lines;
        yield page.text;
      }
    }
    yield `${JSON.stringify({ end: true, lines })}\n`;
  });
}

function linesOf(
  rows: readonly TextRow[],
  lineOf: (row: TextRow) => string | undefined,
): { text: string; lines: number } {
  let text = '';
  let lines = 0;
  for (const row of rows) {
    const line = lineOf(row);
    if (line === undefined) continue;
    text += `${line}\n`;
    lines += 1;
  }
  return { text, lines };
}

await serveThreadStream(tell);

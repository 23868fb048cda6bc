import { readPositions, textOfOffsets } from '@tributary/event-log/position';
import { inSnapshot, type SnapshotOf } from '@tributary/runtime/snapshot';
import { serveThreadStream } from '@tributary/runtime/thread-stream';
import { decisionPages, type Narrowing } from '../db/state-lines.ts';

// The thread that tells the current decisions in one snapshot: a line with positions, the lines of
// the decisions, a line with their number.

export type StateRequest = Narrowing & { snapshotOf: SnapshotOf; projection: string };

await serveThreadStream<StateRequest>(({ snapshotOf, projection, ...narrowing }) =>
  inSnapshot(snapshotOf, async function* (tx) {
    const positions = await readPositions(tx, projection);
    yield `${JSON.stringify({ positions: textOfOffsets(positions) })}\n`;
    let lines = 0;
    for await (const page of decisionPages(tx, narrowing)) {
      lines += page.lines;
      yield page.text;
    }
    yield `${JSON.stringify({ end: true, lines })}\n`;
  }),
);

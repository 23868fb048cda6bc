import type { Positions } from '@tributary/contracts/admin/replay-results';
import { type Asked, type NotNow, openLines } from './open-lines.ts';

/** Attribution stands still until this is ended, at most 20 s. */
export type FrozenAttribution = {
  outcome: 'frozen';
  generation: number;
  /** Absent: a process of the first releases, which knew of one only. */
  foldVersion?: number;
  /** Positions in every topic that attribution reads. */
  positions: Positions;
  /** Ends of the decisions' topic: everything that was decided lies before. */
  outputEnds: Positions;
  /** Resolves when attribution goes on, by whose word ever. */
  over: Promise<void>;
  end(): Promise<void>;
};

type FrozenAt = Pick<FrozenAttribution, 'generation' | 'foldVersion' | 'positions' | 'outputEnds'>;

/** `not-now`: it has too much to do; nothing is held back then. */
export async function freezeAttribution(
  asked: Asked,
  options: { generation?: number | undefined; signal: AbortSignal },
): Promise<FrozenAttribution | NotNow> {
  const { generation, signal } = options;
  const answer = await openLines(asked, {
    method: 'POST',
    path: 'freeze',
    query: { generation },
    signal,
  });
  if (answer.outcome === 'not-now') return answer;
  const over = readToEnd(answer.rest);
  return {
    outcome: 'frozen',
    ...(answer.header as FrozenAt),
    over,
    async end() {
      answer.close();
      await over;
    },
  };
}

async function readToEnd(rest: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    for await (const _ of rest) continue;
  } catch {
    // Ended from here, or the service is gone: it holds nobody back either way.
  }
}

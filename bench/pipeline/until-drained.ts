import { setTimeout as delay } from 'node:timers/promises';
import { patience, patiently } from '@tributary/testkit/patience';
import type pg from 'pg';
import type { Backlog } from '../../test-faults/chain/backlog.ts';

/**
 * Waits until a fold has nothing left to do; gives the seconds since `startedAt`. Gives up when
 * nothing moves any more.
 */
export async function untilDrained(options: {
  what: string;
  startedAt: number;
  read: () => Promise<Backlog>;
  progress: (line: string) => void;
}): Promise<number> {
  const { what, startedAt, read, progress } = options;
  const since = () => (performance.now() - startedAt) / 1_000;
  let last = { text: '', seconds: since() };
  for (let reported = since(); ; await delay(pollMs)) {
    const backlog = await read().catch(unlessNotMigrated);
    if (backlog && backlog.lag + backlog.outbox + backlog.work === 0) return since();
    const text = JSON.stringify(backlog);
    if (text !== last.text) last = { text, seconds: since() };
    if (since() - last.seconds > stuckSeconds) throw new Error(`${what} is stuck: ${text}`);
    if (since() - reported < reportSeconds) continue;
    reported = since();
    progress(`${what} after ${reported.toFixed(0)} s: ${text}`);
  }
}

/**
 * The time at which a fold has applied its first records of a topic: starting processes and joining
 * groups is left out of what is measured.
 */
export async function untilBegun(
  db: pg.ClientBase,
  schema: 'attribution_g1' | 'attribution_g2' | 'rewards_g1',
  topic: string,
): Promise<number> {
  const sql = `select 1 from ${schema}.projection_position where topic = $1 and next_offset > 0`;
  for (const deadline = performance.now() + patiently(60_000); ; await delay(20)) {
    const found = await db.query(sql, [topic]).catch(unlessNotMigrated);
    if (found?.rowCount) return performance.now();
    if (performance.now() > deadline) throw new Error(`nothing of ${topic} is applied`);
  }
}

const pollMs = 200;
const reportSeconds = 5;
const stuckSeconds = 60 * patience;

/** The services make their tables when they start. */
function unlessNotMigrated(error: unknown): undefined {
  const undefinedTable = '42P01';
  if ((error as { code?: string }).code === undefinedTable) return undefined;
  throw error;
}

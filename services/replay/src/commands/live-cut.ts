import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Positions } from '@tributary/contracts/admin/replay-results';
import { type Topic, topicName } from '@tributary/contracts/topics';
import { topicOfPartition } from '@tributary/event-log/position';
import type { JobContext } from './job-kind.ts';
import type { LiveSnapshot, Narrowing } from '../domain/live-state.ts';
import type { ReplayTools } from './replay-tools.ts';

/**
 * The snapshot of live that this job compares with. One that an earlier attempt took is as good as
 * a new one: it says up to where it is.
 */
export async function liveSnapshotOf(
  tools: Pick<ReplayTools, 'takeLiveSnapshot'>,
  context: JobContext,
  asked: Narrowing & { generation?: number | undefined },
): Promise<LiveSnapshot> {
  // A job may look at more than one generation.
  const dir = join(context.dir, `live-${asked.generation ?? 'now'}`);
  const kept = join(dir, 'snapshot.json');
  try {
    return JSON.parse(await readFile(kept, 'utf8')) as LiveSnapshot;
  } catch {
    // None yet: a half-written one never has that name.
  }
  await mkdir(dir, { recursive: true });
  const { signal } = context;
  context.progress({ phase: 'taking a snapshot of the live state', done: 0, unit: 'lines' });
  const snapshot = await tools.takeLiveSnapshot({
    ...asked,
    ...{ dir, signal },
    note: (line) => context.note(line),
  });
  await context.note(
    `live generation ${snapshot.generation} stood still for ${snapshot.frozenMs} ms`,
  );
  await writeFile(`${kept}.part`, JSON.stringify(snapshot));
  await rename(`${kept}.part`, kept);
  return snapshot;
}

/**
 * Up to where history is folded to be compared with it: facts as attribution had read them,
 * issuances as rewards had.
 */
export function cutOf({ attribution, rewards }: LiveSnapshot, prefix: string): Positions {
  return {
    ...ofTopics(attribution.positions, ['events', 'codes', 'catalog'], prefix),
    ...ofTopics(rewards.positions, ['issuances'], prefix),
  };
}

function ofTopics(positions: Positions, topics: readonly Topic[], prefix: string): Positions {
  const names = topics.map((topic) => topicName(topic, { prefix, generation: 1 }));
  return Object.fromEntries(
    Object.entries(positions).filter(([partition]) => names.includes(topicOfPartition(partition))),
  );
}

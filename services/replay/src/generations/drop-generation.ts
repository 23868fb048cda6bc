import { setTimeout as delay } from 'node:timers/promises';
import { topicName } from '@tributary/contracts/topics';
import { listTopics } from '@tributary/event-log/topic-admin';
import { countMembers, deleteGroups, deleteTopics } from '@tributary/event-log/remove-from-brokers';
import {
  findGeneration,
  readLiveGeneration,
  removeGeneration,
} from '@tributary/generations/registry';
import type { Progress } from '../jobs/job-kind.ts';
import { JobRefused } from '../jobs/job-kind.ts';
import { generationalTopics } from './next-number.ts';
import { placesOf } from './places.ts';
import { dropSchema, listSchemas } from './stage-tables.ts';
import type { SwapDeps } from './swap.ts';

/**
 * Takes a generation away: first off the list, so that whoever runs it stops, then, when nobody
 * reads for it any more, its schemas, topics and groups. Each step finds out for itself what is
 * left, so it may be killed anywhere and begun again, also when the list has forgotten the
 * generation. What was issued, and every fact, is outside of generations and stays.
 *
 * A process that was just starting it makes a schema again after the removal; so it looks twice.
 *
 * @throws JobRefused for the live one, and when somebody goes on reading for it.
 */
export async function dropGeneration(
  deps: SwapDeps,
  generation: number,
  {
    signal,
    progress = () => undefined,
    stopLimitMs = 60_000,
  }: { signal: AbortSignal; progress?: (progress: Progress) => void; stopLimitMs?: number },
): Promise<{ schemas: number; topics: number }> {
  const { pool, kafka } = deps;
  if ((await readLiveGeneration(pool)) === generation) {
    throw new JobRefused(`generation ${generation} is live: swap to another one first`);
  }
  if (!(await findGeneration(pool, generation)) && isNothing(await leftOf(deps, generation))) {
    throw new JobRefused(`there is no generation ${generation}`);
  }
  await removeGeneration(pool, generation);
  if ((await readLiveGeneration(pool)) === generation) {
    throw new JobRefused(`generation ${generation} has just become live`);
  }

  const removed = { schemas: 0, topics: 0 };
  const steps = (done: number) => ({
    phase: `removing generation ${generation}`,
    done,
    total: 3,
    unit: 'steps',
  });
  progress(steps(0));
  await untilUnread(deps, generation, { signal, stopLimitMs });
  for (let quiet = 0; quiet < 2;) {
    signal.throwIfAborted();
    const left = await leftOf(deps, generation);
    quiet = isNothing(left) ? quiet + 1 : 0;
    progress(steps(1 + quiet));
    for (const schema of left.schemas) await dropSchema(pool, schema);
    await deleteTopics(kafka, left.topics);
    removed.schemas += left.schemas.length;
    removed.topics += left.topics.length;
    if (quiet < 2) await delay(settleMs, undefined, { signal });
  }
  await deleteGroups(kafka, groupsOf(deps, generation));
  return removed;
}

/** Longer than hosts take to see that it is gone. */
const settleMs = 1_500;

async function untilUnread(
  deps: SwapDeps,
  generation: number,
  { signal, stopLimitMs }: { signal: AbortSignal; stopLimitMs: number },
): Promise<void> {
  const deadlineMs = performance.now() + stopLimitMs;
  for (;;) {
    const members = await countMembers(deps.kafka, groupsOf(deps, generation));
    const busy = [...members].filter(([, count]) => count > 0);
    if (busy.length === 0) return;
    if (performance.now() > deadlineMs) {
      const list = busy.map(([group, count]) => `${group} (${count})`).join(', ');
      throw new JobRefused(
        `generation ${generation} is off the list, but still read by ${list}: stop the processes ` +
          `that were told TRIBUTARY_GENERATION=${generation}, then drop it again`,
      );
    }
    await delay(500, undefined, { signal });
  }
}

type Left = { schemas: string[]; topics: string[] };

async function leftOf({ pool, kafka, topics, first }: SwapDeps, generation: number): Promise<Left> {
  const { attribution, rewards, readModel } = placesOf(first, generation);
  const own = new Set([attribution.schema, rewards.schema, readModel.schema]);
  const names = new Set(generationalTopics.map((t) => topicName(t, { ...topics, generation })));
  return {
    schemas: (await listSchemas(pool)).filter((schema) => own.has(schema)),
    topics: (await listTopics(kafka)).filter((topic) => names.has(topic)),
  };
}

function isNothing({ schemas, topics }: Left): boolean {
  return schemas.length + topics.length === 0;
}

function groupsOf({ first }: SwapDeps, generation: number): string[] {
  const { attribution, rewards, readModel } = placesOf(first, generation);
  return [attribution.group, rewards.group, readModel.group];
}

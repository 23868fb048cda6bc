import { setTimeout as delay } from 'node:timers/promises';
import { topicName } from '@tributary/contracts/topics';
import { listTopics } from '@tributary/event-log/topic-admin';
import {
  countMembers,
  deleteGroups,
  deleteTopics,
  listGroups,
} from '@tributary/event-log/remove-from-brokers';
import {
  findGeneration,
  readLiveGeneration,
  removeGeneration,
} from '@tributary/generations/registry';
import type { Stage } from '@tributary/generations/stage';
import { UnknownDatabase } from '@tributary/generations/stage-databases';
import { dropSchema, listSchemas } from '@tributary/generations/stage-state';
import type pg from 'pg';
import type { Progress } from '@tributary/contracts/admin/replay-answers';
import { JobRefused } from '../job-kind.ts';
import { generationalTopics } from './next-number.ts';
import { allOf, databasesOf, readAllStages } from './stages.ts';
import type { SwapDeps } from './swap.ts';
import { NotNow } from './wait.ts';

/**
 * Takes a generation away: first off the list, so that whoever runs it stops, then, when nobody
 * reads for it any more, the schemas, topics and groups of all its stages, whether or not their
 * processes run. Each step finds out for itself what is left, so it may be killed anywhere and
 * begun again, also when the list has forgotten the generation. What was issued, and every fact, is
 * outside of generations and stays.
 *
 * A process that was just starting it makes a schema again after the removal; so it looks twice.
 *
 * @throws JobRefused for the live one, and when somebody goes on reading for it; NotNow while a
 * fold or the portal has not registered itself.
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
  // Before anything is changed: what it consists of must be known, and where that is.
  await findDatabases(deps, allOf(await readAllStages(deps, generation)));
  if ((await readLiveGeneration(pool)) === generation) {
    throw new JobRefused(`generation ${generation} is live: swap to another one first`);
  }
  if (!(await isAnything(deps, generation))) {
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
    quiet = left.schemas.length + left.topics.length === 0 ? quiet + 1 : 0;
    progress(steps(1 + quiet));
    for (const { db, schema } of left.schemas) await dropSchema(db, schema);
    await deleteTopics(kafka, left.topics);
    removed.schemas += left.schemas.length;
    removed.topics += left.topics.length;
    if (quiet < 2) await delay(settleMs, undefined, { signal });
  }
  await deleteGroups(kafka, await groupsOf(deps, generation));
  return removed;
}

async function findDatabases(deps: SwapDeps, stages: readonly Stage[]): Promise<void> {
  const databases = databasesOf(deps);
  for (const stage of stages) {
    await databases.of(stage).catch((error: unknown) => {
      throw error instanceof UnknownDatabase ? new NotNow(error.message) : error;
    });
  }
}

/** Listed, or something of it left. */
export async function isAnything(deps: SwapDeps, generation: number): Promise<boolean> {
  if (await findGeneration(deps.pool, generation)) return true;
  const { schemas, topics } = await leftOf(deps, generation);
  if (schemas.length + topics.length > 0) return true;
  return (await listGroups(deps.kafka, await groupsOf(deps, generation))).length > 0;
}

/** Longer than hosts take to see that it is gone. */
const settleMs = 1_500;

async function untilUnread(
  deps: SwapDeps,
  generation: number,
  { signal, stopLimitMs }: { signal: AbortSignal; stopLimitMs: number },
): Promise<void> {
  const deadlineMs = performance.now() + stopLimitMs;
  const groups = await groupsOf(deps, generation);
  for (;;) {
    const members = await countMembers(deps.kafka, groups);
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

type Left = { schemas: { db: pg.Pool; schema: string }[]; topics: string[] };

/**
 * A read model is looked for in every database: one that has moved left what it had before where it
 * was. Folds never move, so what is called like theirs elsewhere is somebody else's.
 */
async function leftOf(deps: SwapDeps, generation: number): Promise<Left> {
  const { pool, readModelPools = [], kafka, topics } = deps;
  const stages = await readAllStages(deps, generation);
  const names = new Set(generationalTopics.map((t) => topicName(t, { ...topics, generation })));
  const schemas = await Promise.all([
    schemasOf(pool, allOf(stages)),
    ...readModelPools.map((db) => schemasOf(db, stages.readModels)),
  ]);
  return {
    schemas: schemas.flat(),
    topics: (await listTopics(kafka)).filter((topic) => names.has(topic)),
  };
}

async function schemasOf(db: pg.Pool, stages: readonly Stage[]): Promise<Left['schemas']> {
  const own = new Set(stages.map(({ schema }) => schema));
  return (await listSchemas(db)).filter((s) => own.has(s)).map((schema) => ({ db, schema }));
}

async function groupsOf(deps: SwapDeps, generation: number): Promise<string[]> {
  return allOf(await readAllStages(deps, generation)).map(({ group }) => group);
}

import { newestFoldVersion } from '@tributary/attribution-fold/fold-version';
import type { SwapResult } from '@tributary/contracts/admin/replay-results';
import {
  defaultPartitions,
  type PartitionCounts,
  type Topic,
  topicName,
} from '@tributary/contracts/topics';
import { createTopics, readPartitionCounts, topicSpecs } from '@tributary/event-log/topic-admin';
import type { Generation } from '@tributary/generations/generation';
import { addGeneration, findGeneration, readLiveGeneration } from '@tributary/generations/registry';
import { type JobContext, type JobKind, JobRefused } from '../job-kind.ts';
import type { RebuildParams } from '../job-params.ts';
import { dropGeneration, isAnything } from './drop-generation.ts';
import { findMadeBy, madeBy, markCompared, readCompared } from '../../db/generation-marks.ts';
import { generationalTopics, nextGenerationNumber } from './next-number.ts';
import type { SwapDeps } from './swap.ts';
import { swapUntilDone } from './swap-until-done.ts';
import { untilClose } from './until-close.ts';

/** How a generation is evaluated; parts of other kinds of jobs. */
export type RebuildChecks = {
  /** Whether it equals the fold of the whole log. */
  compareWithLog(
    context: JobContext,
    generation: number,
  ): Promise<{ identical: boolean; result: unknown }>;
  /** What would change with it: the live generation against the fold, as a preview tells it. */
  reportAgainstLive?: (
    context: JobContext,
    asked: { live: number; foldVersion: number },
  ) => Promise<unknown>;
};

export type RebuildResult =
  /** It was lost no more when the job began. */
  | { outcome: 'not-needed'; generation: number }
  /** `ready`: swap to it. `different`: it is kept to be looked at, and cannot be swapped to. */
  | { outcome: 'ready' | 'different'; generation: number; compared: unknown; report?: unknown }
  | { outcome: 'recovered'; generation: number; swap: SwapResult; compared: unknown };

/**
 * Builds the next generation beside the live one, which goes on. The stages' own processes do the
 * work: a registered generation is run by every host, and this only waits, looks and compares.
 *
 * Recovery is the same for a live generation whose tables are older than its topics, and nobody
 * decides or pays while it is lost: so the new one is swapped to as soon as it has read the log,
 * and compared afterwards. Nothing of the lost one's tables is used.
 *
 * What has been done is asked of the registry, never remembered: the generation carries the job's
 * name, its marks tell what came of the comparison, and topics that were made without being
 * registered are found empty and used.
 */
export function createRebuildKind(
  deps: SwapDeps & RebuildChecks & { replication: number; minInsync: number },
): JobKind<RebuildParams, RebuildResult> {
  const { pool, kafka, topics } = deps;

  async function begin(context: JobContext, foldVersion: number): Promise<number> {
    for (;;) {
      context.signal.throwIfAborted();
      const number = await nextGenerationNumber(deps);
      const { replication, minInsync } = deps;
      const partitions = await presentPartitions(await readLiveGeneration(pool));
      const wiring = { ...topics, generation: number, replication, minInsync, partitions };
      const specs = topicSpecs(wiring, generationalTopics);
      await createTopics({ kafka, topics: specs, logger: context.logger });
      if (await addGeneration(pool, { number, foldVersion, note: madeBy(context.jobId) })) {
        await context.note(`generation ${number} is being built, by fold version ${foldVersion}`);
        return number;
      }
    }
  }

  /** As many as the live generation has now; where its topic is gone, as many as events have. */
  async function presentPartitions(live: number): Promise<PartitionCounts> {
    const nameOf = (topic: Topic) => topicName(topic, { ...topics, generation: live });
    const found = await readPartitionCounts(
      kafka,
      [...generationalTopics, 'events' as const].map(nameOf),
    );
    const counts: Record<Topic, number> = { ...defaultPartitions };
    for (const topic of generationalTopics) {
      counts[topic] = found.get(nameOf(topic)) ?? found.get(nameOf('events')) ?? counts[topic];
    }
    return counts;
  }

  async function build(context: JobContext, foldVersion: number): Promise<Generation> {
    const number = (await findMadeBy(pool, context.jobId)) ?? (await begin(context, foldVersion));
    const built = await findGeneration(pool, number);
    if (!built) throw new JobRefused(`generation ${number} was removed while it was built`);
    if (built.status !== 'lost') return built;
    throw new JobRefused(`generation ${number} was lost while it was built`);
  }

  async function compare(context: JobContext, generation: number): Promise<unknown> {
    const { identical, result } = await deps.compareWithLog(context, generation);
    const how = identical
      ? 'it equals the fold of the whole log'
      : 'it does not equal the fold of the whole log';
    await markCompared(pool, generation, { identical, how });
    await context.note(`generation ${generation}: ${how}`);
    return result;
  }

  async function recover(context: JobContext): Promise<RebuildResult> {
    const live = await readLiveGeneration(pool);
    const made = await findMadeBy(pool, context.jobId);
    const lost = await findGeneration(pool, live);
    if (live !== made && lost?.status !== 'lost')
      return { outcome: 'not-needed', generation: live };
    // Nobody has looked at what newer rules would change; a registry that was made anew knows no
    // more.
    const foldVersion = lost?.foldVersion ?? newestFoldVersion;
    // What it was building may be lost with the same database; another one is begun at once then.
    const isOwnLost = made !== undefined && (await findGeneration(pool, made))?.status === 'lost';
    const generation = isOwnLost
      ? await begin(context, foldVersion)
      : (await build(context, foldVersion)).number;
    const swap = await swapUntilDone(
      deps,
      context,
      { from: live, to: generation, note: madeBy(context.jobId) },
      { limitMs: Infinity, modelGraceMs: recoveryGraceMs },
    );
    return { outcome: 'recovered', generation, swap, compared: await compare(context, generation) };
  }

  return {
    name: 'rebuild',

    async run(context, params) {
      if (params.recover) return recover(context);
      const { number: generation, foldVersion } = await build(
        context,
        params.foldVersion ?? newestFoldVersion,
      );
      await untilClose(deps, generation, context);
      const compared = await compare(context, generation);
      const live = await readLiveGeneration(pool);
      const isLost = (await findGeneration(pool, live))?.status === 'lost';
      const report = isLost
        ? undefined
        : await deps.reportAgainstLive?.(context, {
            live,
            foldVersion,
          });
      const identical = (await readCompared(pool, generation)) === 'identical';
      return {
        outcome: identical ? 'ready' : 'different',
        generation,
        compared,
        ...(report !== undefined && { report }),
      };
    },

    /** One that was compared is looked at or swapped to by somebody, and dropped by them. */
    async cleanUp({ jobId }) {
      const generation = await findMadeBy(pool, jobId);
      if (generation === undefined || (await readLiveGeneration(pool)) === generation) return;
      if ((await readCompared(pool, generation)) !== undefined) return;
      if (!(await isAnything(deps, generation))) return;
      await dropGeneration(deps, generation, { signal: new AbortController().signal });
    },
  };
}

/** Money waits; what people are shown may follow. */
const recoveryGraceMs = 60_000;

import { setTimeout as delay } from 'node:timers/promises';
import {
  inOneTurn,
  inTransaction,
  isTransientPostgresError,
  type Tx,
} from '@tributary/runtime/postgres';
import type pg from 'pg';
import { createGroupCommit } from './group-commit.ts';
import type { Held } from './held-partition.ts';
import { createLanes } from './lanes.ts';
import { enqueue } from './outbox.ts';
import { Fenced } from './partition-stops.ts';
import { type Advance, advancePositions, type Position } from './position.ts';
import type { Incoming } from './projection.ts';
import type { SliceReading } from './read-slice.ts';

/** What is read of a partition, to be applied from `from` on. */
export type Slice = { held: Held; from: Position; to: Advance['to']; read: SliceReading };

/**
 * How slices are committed: those of a source that come together in one transaction, which begins
 * with the fence, and two of a partition's number one after the other.
 */
export type SliceCommits = {
  /** Resolves when the slice is committed; rejects with its own failure, {@link Fenced} for one. */
  commit(slice: Slice): Promise<void>;
  /** Runs with those of these partitions of which no slice is being committed. */
  between<T>(
    partitions: readonly number[],
    work: (partitions: readonly number[]) => Promise<T>,
  ): Promise<T>;
};

export function createSliceCommits(options: {
  pool: pg.Pool;
  projection: string;
  apply: (tx: Tx, batch: readonly Incoming[]) => Promise<void>;
  /** Whether the next transaction should wait a little. */
  givesWay?: () => boolean;
  /** In one transaction. */
  maxRecords: number;
  onCommitted: (slices: readonly Slice[]) => void;
}): SliceCommits {
  const { pool, projection, apply, maxRecords, onCommitted, givesWay = () => false } = options;
  const lanes = createLanes();
  const groups = createGroupCommit<Slice>({
    commit: (slices) =>
      lanes.use(
        slices.map(({ held: { partition } }) => partition),
        () => commitSlices(slices),
      ),
    sizeOf: ({ read }) => read.count,
    // A partition that keeps failing goes alone, so that it takes no other along.
    kindOf: ({ held: h }) =>
      h.failures < 2 ? h.source.name : `${h.source.name}/${h.topic}/${h.partition}`,
    maxRecords,
    isTransient: isTransientPostgresError,
  });

  /**
   * The first statement of all. What comes behind it does not wait for its answer; a fenced process
   * fails by this, whatever else fails in it.
   */
  async function holdFence(tx: Tx, advances: readonly Advance[]): Promise<void> {
    if (!(await advancePositions(tx, projection, advances))) throw new Fenced();
  }

  async function commitSlices(slices: readonly Slice[]): Promise<void> {
    const advances = slices.map(({ held: { topic, partition }, from, to }) => ({
      topic,
      partition,
      from,
      to,
    }));
    const records = slices.flatMap(({ read }) => read.records);
    const deadLetters = slices.flatMap(({ read }) => read.deadLetters);
    const begunMs = performance.now();
    while (givesWay() && performance.now() - begunMs < mostWayMs) await delay(50);
    await inTransaction(pool, async (tx) => {
      await inOneTurn([
        holdFence(tx, advances),
        enqueue(tx, deadLetters),
        records.length > 0 && apply(tx, records),
      ]);
    });
    onCommitted(slices);
  }

  return {
    commit: (slice) => groups.submit(slice),
    between: (partitions, work) => lanes.useFree(partitions, work),
  };
}

/** Nobody tells the brokers meanwhile that this process is alive. */
const mostWayMs = 2_000;

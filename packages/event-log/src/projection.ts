import { setTimeout as delay } from 'node:timers/promises';
import type { Codec } from '@tributary/contracts/record';
import type { Logger } from '@tributary/runtime/logger';
import { inTransaction, isTransientPostgresError, type Tx } from '@tributary/runtime/postgres';
import type kafkajs from 'kafkajs';
import type pg from 'pg';
import { createGroupCommit } from './group-commit.ts';
import type { KafkaConnection } from './kafka.ts';
import { enqueue } from './outbox.ts';
import {
  type Advance,
  advancePositions,
  claimPositions,
  type Position,
  readPositions,
  recordDigest,
} from './position.ts';
import { type Assignment, type Controls, createSupervisedConsumer } from './supervised-consumer.ts';
import { readSlice, type SliceReading } from './read-slice.ts';
import { readWatermarks } from './watermarks.ts';

/**
 * The consumer loop of every projection (design 6). Rows, positions and outbox commit in one
 * transaction, so each record is applied once in effect, whatever is killed. Slices of several
 * partitions of a source that arrive together share a transaction (group-commit.ts).
 *
 * A partition's life in this process:
 *
 *   assigned ─▶ claiming ─▶ running ─▶ (next assignment, or stop)
 *                  ▲           │ a batch fails: backing-off, then running again
 *                  │           │ the fence says no: fenced; claims again after a while
 *                  └───────────┘
 *   and two ends that need a person: `refused` (the topic is not the one that was read) and
 *   `newer-schema` (deploy the reader). Both keep the position and raise an alert.
 *
 * kafkajs' own offsets and rebalances decide only who reads what, for speed. Correctness is the
 * fence: the first statement of a batch moves the position from the offset and epoch this process
 * holds, and a process that slept through a takeover finds no such row.
 */
export type Incoming<T = unknown> = {
  source: string;
  topic: string;
  partition: number;
  offset: bigint;
  key: string;
  /** Append time on the broker. */
  timestampMs: number;
  /** null is a tombstone. */
  value: T | null;
};

export type Source = {
  name: string;
  topic: string;
  codec: Codec<unknown>;
  /** On a compacted topic gaps are legal and the proof of position may be gone. */
  compacted: boolean;
  /** Records of people: a dead letter of theirs never carries the value. */
  personal: boolean;
};

export function source<T>(
  name: string,
  topic: string,
  codec: Codec<T>,
  options: { compacted?: boolean; personal?: boolean } = {},
): Source {
  const { compacted = false, personal = false } = options;
  return { name, topic, codec: codec, compacted, personal };
}

export type PartitionState =
  'claiming' | 'running' | 'backing-off' | 'fenced' | 'refused' | 'newer-schema';

export type Projection = {
  /** Starts reading in the background; does not wait for the brokers. */
  start(): Promise<void>;
  health(): { ok: boolean; detail?: string };
  /** Partitions this process holds, for metrics. */
  partitions(): { topic: string; partition: number; state: PartitionState; next: bigint }[];
  /** True when every partition of the named sources (default: all) has been applied, by whichever process, up to the end of the log as of this call. */
  caughtUp(...sourceNames: string[]): Promise<boolean>;
  stop(): Promise<void>;
};

type Held = {
  source: Source;
  topic: string;
  partition: number;
  position: Position;
  /** False until the record before `next` was seen again and had the stored digest. */
  verified: boolean;
  state: PartitionState;
  detail?: string;
  /** Records per transaction: halved by failures that are not the database's, doubled by success. */
  limit: number;
  failures: number;
};

export function createProjection(options: {
  kafka: KafkaConnection;
  logger: Logger;
  pool: pg.Pool;
  name: string;
  group: string;
  sources: readonly Source[];
  /**
   * Writes rows and outbox for records of one source, in the order of each partition. May run again
   * after a failure, then with other neighbours.
   */
  apply: (tx: Tx, batch: readonly Incoming[]) => Promise<void>;
  deadLetterTopic: string;
  maxBatchRecords?: number;
  onCommitted?: (batch: readonly Incoming[]) => void;
}): Projection {
  const { kafka, logger, pool, name, group, sources, apply, deadLetterTopic } = options;
  const { maxBatchRecords = 500, onCommitted } = options;
  const sourceOf = new Map(sources.map((s) => [s.topic, s]));
  const timers = new Set<NodeJS.Timeout>();
  let assignmentNumber = 0;
  let held = new Map<string, Held>();
  let unclaimed = 0;
  let controls: Controls | undefined;
  let commitTimer: NodeJS.Timeout | undefined;
  let committed = new Map<string, bigint>();

  const groups = createGroupCommit<Slice>({
    commit: commitSlices,
    sizeOf: ({ read }) => read.count,
    // A partition that keeps failing goes alone, so that it takes no other along.
    kindOf: ({ held: h }) =>
      h.failures < 2 ? h.source.name : `${h.source.name}/${h.topic}/${h.partition}`,
    maxRecords: maxBatchRecords,
    isTransient: isTransientPostgresError,
  });
  const consumer = createSupervisedConsumer({
    kafka,
    logger,
    groupId: group,
    topics: sources.map((s) => s.topic),
    onAssigned,
    onBatch,
  });

  /** Pauses everything before the first fetch; partitions resume as they are claimed. */
  function onAssigned(assignment: Assignment, newControls: Controls): void {
    assignmentNumber += 1;
    controls = newControls;
    held = new Map();
    committed = new Map();
    const partitions: { topic: string; partition: number }[] = [];
    for (const [topic, numbers] of assignment) {
      for (const partition of numbers) {
        newControls.pause(topic, partition);
        partitions.push({ topic, partition });
      }
    }
    unclaimed = partitions.length;
    logger.info('partitions assigned', { projection: name, partitions: partitions.length });
    if (partitions.length > 0) void claim(partitions, assignmentNumber, 0);
  }

  async function claim(
    partitions: { topic: string; partition: number }[],
    assigned: number,
    attempt: number,
  ): Promise<void> {
    if (assigned !== assignmentNumber) return;
    try {
      const positions = await inTransaction(pool, (tx) => claimPositions(tx, name, partitions));
      const ends = await readWatermarks(
        kafka,
        sources.map((s) => s.topic),
      ).catch(() => undefined);
      if (assigned !== assignmentNumber) return;
      for (const { topic, partition } of partitions) {
        take(topic, partition, positions.get(`${topic}/${partition}`), ends);
      }
    } catch (error) {
      logger.error('cannot claim partitions; trying again', {
        projection: name,
        error: (error as Error).message,
      });
      after(backOffMs(attempt), () => void claim(partitions, assigned, attempt + 1));
    }
  }

  function take(
    topic: string,
    partition: number,
    position: Position | undefined,
    ends: ReadonlyMap<string, { low: bigint; high: bigint }> | undefined,
  ): void {
    const from = sourceOf.get(topic);
    if (!from || !position) return;
    const h: Held = {
      source: from,
      topic,
      partition,
      position,
      verified: position.next === 0n,
      state: 'running',
      limit: maxBatchRecords,
      failures: 0,
    };
    if (!held.has(`${topic}/${partition}`)) unclaimed -= 1;
    held.set(`${topic}/${partition}`, h);
    const end = ends?.get(`${topic}/${partition}`);
    if (end && end.high < position.next) {
      refuse(h, `the log ends at offset ${end.high}, but offset ${position.next - 1n} was applied`);
      return;
    }
    controls?.seek(topic, partition, position.next === 0n ? 0n : position.next - 1n);
    controls?.resume(topic, partition);
  }

  async function onBatch(payload: kafkajs.EachBatchPayload): Promise<void> {
    const { batch, resolveOffset, heartbeat, isStale, isRunning } = payload;
    const assigned = assignmentNumber;
    const h = held.get(`${batch.topic}/${batch.partition}`);
    const usable = () =>
      h?.state === 'running' && assigned === assignmentNumber && isRunning() && !isStale();
    if (!h || !usable()) return;

    let messages: readonly kafkajs.KafkaMessage[] = batch.messages;
    if (!h.verified) {
      const proof = provePosition(h, messages[0]);
      if (proof.outcome === 'mismatch') return refuse(h, proof.detail);
      h.verified = true;
      if (proof.outcome === 'seen-again') {
        // At once: if the batch behind it fails, the next fetch must start after the proof.
        resolveOffset((h.position.next - 1n).toString());
        messages = messages.slice(1);
      }
    }
    while (messages.length > 0 && usable()) {
      const slice = messages.slice(0, h.limit);
      const done = await applySlice(h, slice, assigned);
      if (done > 0) resolveOffset((h.position.next - 1n).toString());
      // Errors of the client (a rebalance, above all) pass on: kafkajs acts on them itself.
      await heartbeat();
      messages = messages.slice(done);
    }
    // A trickle is let gather for a moment: the next fetch then brings more records at once (decision 6).
    if (batch.messages.length < trickleRecords) await delay(trickleMs);
  }

  /** Applies a prefix of the slice; says how many records it was. */
  async function applySlice(
    h: Held,
    messages: readonly kafkajs.KafkaMessage[],
    assigned: number,
  ): Promise<number> {
    const read = readSlice(messages, { ...h, group, deadLetterTopic });
    for (const { reason, detail, offset } of read.broken) {
      logger.error('a record breaks its contract; it goes to the dead letters', {
        projection: name,
        topic: h.topic,
        partition: h.partition,
        offset,
        reason,
        detail,
      });
    }
    if (read.count > 0) {
      const last = messages[read.count - 1]!;
      const to = { next: BigInt(last.offset) + 1n, digest: recordDigest(last.key, last.value) };
      try {
        await groups.submit({ held: h, from: h.position, to, read });
      } catch (error) {
        // Of an earlier assignment: whoever holds the partition now starts from its stored position.
        if (assigned === assignmentNumber) {
          onFailure(h, error as Error, messages[0]!.offset, read.count);
        }
        return 0;
      }
      h.position = { ...h.position, ...to };
      h.failures = 0;
      h.limit = Math.min(maxBatchRecords, h.limit * 2);
    }
    if (assigned !== assignmentNumber) return read.count;
    if (read.stop?.reason === 'gap') refuse(h, read.stop.detail);
    if (read.stop?.reason === 'newer') stopPartition(h, 'newer-schema', read.stop.detail);
    return read.count;
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
    await inTransaction(pool, async (tx) => {
      if (!(await advancePositions(tx, name, advances))) throw new Fenced();
      if (deadLetters.length > 0) await enqueue(tx, deadLetters);
      if (records.length > 0) await apply(tx, records);
    });
    if (records.length > 0) onCommitted?.(records);
  }

  function onFailure(h: Held, error: Error, offset: string, records: number): void {
    controls?.pause(h.topic, h.partition);
    h.failures += 1;
    const assigned = assignmentNumber;
    const where = { projection: name, topic: h.topic, partition: h.partition, offset };
    if (error instanceof Fenced) {
      h.state = 'fenced';
      logger.warn('fenced: another process holds this partition; giving it up', where);
      const again = { topic: h.topic, partition: h.partition };
      after(2_000 + Math.random() * 3_000, () => void claim([again], assigned, 0));
      return;
    }
    h.state = 'backing-off';
    h.detail = error.message;
    const transient = isTransientPostgresError(error);
    // Also of transient failures: a batch that always meets a statement timeout must get smaller.
    if (!transient || h.failures > 1) {
      h.limit = Math.max(1, Math.floor(Math.min(h.limit, records) / 2));
    }
    logger[transient && h.failures < 5 ? 'warn' : 'error'](
      transient
        ? 'the database did not take a batch; trying again'
        : 'a batch cannot be applied; this partition waits and tries again, nothing is skipped',
      { ...where, records, failures: h.failures, error },
    );
    after(backOffMs(h.failures), () => {
      if (assigned !== assignmentNumber || h.state !== 'backing-off') return;
      h.state = 'running';
      delete h.detail;
      controls?.seek(h.topic, h.partition, h.position.next);
      controls?.resume(h.topic, h.partition);
    });
  }

  function refuse(h: Held, detail: string): void {
    stopPartition(
      h,
      'refused',
      `${detail}. The topic was deleted, recreated or truncated since it was last read. ` +
        'Restore the topic, or rebuild this projection from the log: stop the service, drop its ' +
        'schema and start it again',
    );
  }

  function stopPartition(h: Held, state: 'refused' | 'newer-schema', detail: string): void {
    controls?.pause(h.topic, h.partition);
    h.state = state;
    h.detail = detail;
    alert(h);
    const assigned = assignmentNumber;
    const repeat = () => {
      if (assigned !== assignmentNumber || h.state !== state) return;
      alert(h);
      after(60_000, repeat);
    };
    after(60_000, repeat);
  }

  function alert(h: Held): void {
    logger.error(`alert: partition stopped (${h.state}): ${h.detail}`, {
      projection: name,
      topic: h.topic,
      partition: h.partition,
      nextOffset: h.position.next.toString(),
    });
  }

  function after(ms: number, work: () => void): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      work();
    }, ms);
    timers.add(timer);
  }

  /** Kafka's own offsets are only for tools that show lag; losing a commit costs nothing. */
  function commitForTools(): void {
    const moved = [...held.values()].filter(
      (h) => h.position.next > (committed.get(`${h.topic}/${h.partition}`) ?? 0n),
    );
    if (moved.length === 0 || !controls) return;
    for (const h of moved) committed.set(`${h.topic}/${h.partition}`, h.position.next);
    const offsets = moved.map((h) => ({
      topic: h.topic,
      partition: h.partition,
      offset: h.position.next,
    }));
    controls.commit(offsets).catch(() => committed.clear());
  }

  return {
    start() {
      consumer.start();
      commitTimer = setInterval(commitForTools, 1_000);
      return Promise.resolve();
    },

    health() {
      const state = consumer.health();
      if (!state.ok) return state;
      if (unclaimed > 0) return { ok: false, detail: `${unclaimed} partitions not claimed yet` };
      const stopped = [...held.values()].filter((h) => h.state !== 'running');
      if (stopped.length === 0) return { ok: true };
      const list = stopped.map((h) => `${h.topic}/${h.partition} ${h.state}: ${h.detail ?? ''}`);
      return { ok: false, detail: list.join('; ') };
    },

    partitions: () =>
      [...held.values()].map(({ topic, partition, state, position }) => ({
        topic,
        partition,
        state,
        next: position.next,
      })),

    async caughtUp(...sourceNames) {
      const wanted = sources.filter(
        (s) => sourceNames.length === 0 || sourceNames.includes(s.name),
      );
      const ends = await readWatermarks(
        kafka,
        wanted.map((s) => s.topic),
      );
      const positions = await readPositions(pool, name);
      for (const [partition, { low, high }] of ends) {
        if (high > low && (positions.get(partition) ?? 0n) < high) return false;
      }
      return true;
    },

    async stop() {
      clearInterval(commitTimer);
      await consumer.stop();
      assignmentNumber += 1;
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
    },
  };
}

type Slice = { held: Held; from: Position; to: Advance['to']; read: SliceReading };

class Fenced extends Error {}

/** The record before `next` must be the one that was applied there (design 6, "proof of position"). */
function provePosition(
  h: Held,
  first: kafkajs.KafkaMessage | undefined,
):
  | { outcome: 'seen-again' }
  | { outcome: 'compacted-away' }
  | { outcome: 'mismatch'; detail: string } {
  const { next, digest } = h.position;
  const offset = first ? BigInt(first.offset) : undefined;
  if (first && offset === next - 1n) {
    const same = digest !== null && recordDigest(first.key, first.value).equals(digest);
    if (same) return { outcome: 'seen-again' };
    return { outcome: 'mismatch', detail: `the record at offset ${offset} is not the one applied` };
  }
  if (offset !== undefined && offset >= next && h.source.compacted) {
    return { outcome: 'compacted-away' };
  }
  return {
    outcome: 'mismatch',
    detail: `offset ${next - 1n} was applied, but the log starts at ${offset ?? 'nothing'}`,
  };
}

/** Fewer records of a partition than this in a fetch are a trickle. */
const trickleRecords = 50;
const trickleMs = 25;

function backOffMs(failures: number): number {
  return Math.min(5_000, 100 * 2 ** Math.min(failures, 6)) * (0.5 + Math.random() / 2);
}

import { setTimeout as delay } from 'node:timers/promises';
import type { Codec } from '@tributary/contracts/record';
import type { Logger } from '@tributary/runtime/logger';
import { inTransaction, type Tx } from '@tributary/runtime/postgres';
import type kafkajs from 'kafkajs';
import type pg from 'pg';
import type { Durations, Gauges, ObserveDuration } from '@tributary/runtime/component';
import { createRepeater } from '@tributary/runtime/repeater';
import type { Tracer, TraceSpan } from '@tributary/runtime/tracer';
import { type Consumer, consumerGauges, createStateReader } from './consumer-state.ts';
import type { KafkaConnection } from './kafka.ts';
import { type Held, type PartitionState, provePosition } from './held-partition.ts';
import { backOffMs, createPartitionStops } from './partition-stops.ts';
import { claimPositions, markStopped, type Position } from './position.ts';
import { createPositionWatch, type PositionWatch } from './position-watch.ts';
import { type Assignment, type Controls, createSupervisedConsumer } from './supervised-consumer.ts';
import { goesBack, readSlice } from './read-slice.ts';
import { createSpanStart, endSpans } from './record-traces.ts';
import { createSliceCommits, type Slice } from './slice-commits.ts';
import { createToolOffsets } from './tool-offsets.ts';
import { whyUndecodable } from './undecodable.ts';
import { readWatermarks } from './watermarks.ts';

/**
 * The consumer loop of every projection (design 6). Rows, positions and outbox commit in one
 * transaction, so each record is applied once in effect, whatever is killed. Slices of several
 * partitions of a source that arrive together share a transaction (group-commit.ts).
 *
 * A partition's life in this process:
 *
 *   assigned ─▶ claiming ─▶ running ─▶ (next assignment, or stop)
 *                  ▲           │ its source may not be read now: held-back, then running again
 *                  │           │ a batch fails: backing-off, then running again
 *                  │           │ the fence says no: fenced; claims again after a while
 *                  └───────────┘ the database is older than it was: claims again at once
 *   and three ends that need a person: `refused` (the topic is not the one that was read),
 *   `newer-schema` (deploy the reader) and `undecodable` (bytes of the log are broken). All keep
 *   the position and raise an alert.
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
  /** Only of what is traced; ends when it is committed. */
  span?: TraceSpan;
};

/**
 * A record as if it had been read from the log, for a dry run: nothing of a batch depends on where
 * it stood there.
 */
export function asIfRead<T>(
  record: Pick<Incoming<T>, 'source' | 'key' | 'timestampMs'> & { value: T },
): Incoming<T> {
  return { ...record, topic: '', partition: 0, offset: 0n };
}

export type Source = {
  name: string;
  topic: string;
  codec: Codec<unknown>;
  /**
   * On a compacted topic, and on one whose old records expire, gaps are legal and the proof of
   * position may be gone.
   */
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

export type Projection = {
  /** Starts reading in the background; does not wait for the brokers. */
  start(): Promise<void>;
  health(): { ok: boolean; detail?: string };
  /** Partitions this process holds, for metrics. */
  partitions(): { topic: string; partition: number; state: PartitionState; next: bigint }[];
  /**
   * How many records of the partitions that are read here are known to be on the log and are not
   * applied, and when some were applied last, by this process's monotonic clock.
   */
  lag(): { records: number; movedAtMs: number };
  /** How far all processes of the group are, by topic. */
  consumer(): Consumer;
  /** The same for metrics. */
  gauges: Gauges;
  /** From append to commit. */
  durations: Durations;
  /**
   * Runs with those partitions of this topic, held here, of which no batch is being applied; none
   * of these numbers is, of any topic, until it ends. Undefined where none is held: nothing ran.
   */
  betweenBatches<T>(
    topic: string,
    work: (partitions: readonly number[]) => Promise<T>,
  ): Promise<T | undefined>;
  /**
   * Whether the database is as new as this process has seen it; see position-watch.ts. With `db`,
   * the one of that transaction.
   */
  isIntact: PositionWatch['isIntact'];
  /** How often it was not, and everything was read again from the positions that it has. */
  setbacks(): number;
  stop(): Promise<void>;
};

export type ProjectionOptions = {
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
  /** Whose this is; absent: what it makes is the same for all generations. */
  generation?: number;
  /**
   * Whether that is the live one: only then the age of records is measured when they are committed,
   * as a generation that is built reads old ones.
   */
  isLive?: () => boolean;
  /**
   * Whether a source may be read now; asked before each slice, and again and again while it may
   * not. What is held back stays on the log: its partitions are paused, no transaction waits.
   */
  mayRead?: (source: string) => boolean;
  /**
   * Whether others need the machine more. What was fetched is kept and waits; a transaction that
   * was about to begin waits for two seconds at most.
   */
  givesWay?: () => boolean;
  /**
   * What to do when the database turns out to be older than this process has seen it (decision 25).
   * `read-again`: go on from its positions. `stand-still`: read nothing more, for rows that must
   * not be derived a second time; whoever started this asks `isIntact`, and starts all anew.
   */
  whenOlder?: 'read-again' | 'stand-still';
  /** Begins the spans of records that are traced; absent where traces are off. */
  tracer?: Tracer | undefined;
  /** The source whose records are traced. */
  tracedSource?: string;
  /** From one fetch of a trickle to the next, at least (decision 6). */
  gatherMs?: number;
  /** Sources, by name, that nobody waits for: how long after a trickle of it one is left alone. */
  unhurried?: Readonly<Record<string, number>>;
  /** Between two looks whether it is. */
  watchMs?: number;
  /** Between two alerts of a partition that a person has to look after. */
  alertMs?: number;
};

export function createProjection(options: ProjectionOptions): Projection {
  const { kafka, logger, pool, name, group, generation, sources, apply } = options;
  const { deadLetterTopic } = options;
  const { maxBatchRecords = 1_500, onCommitted } = options;
  const { mayRead = () => true, givesWay = () => false, isLive = () => true } = options;
  const { whenOlder = 'read-again', watchMs = 1_000, alertMs = 60_000, gatherMs = 40 } = options;
  const { unhurried = {}, tracer, tracedSource } = options;
  const sourceOf = new Map(sources.map((s) => [s.topic, s]));
  /** What the present assignment holds; a new assignment is a new map. */
  let held = new Map<string, Held>();
  /** Next offsets that the database had, as this process has claimed or committed them. */
  const known = new Map<string, bigint>();
  const resting = new Set<string>();
  let unclaimed = 0;
  let isOlder = false;
  let setbacks = 0;
  let movedAtMs = -Infinity;
  let controls: Controls | undefined;
  let observeAge: ObserveDuration | undefined;

  const groupState = createStateReader({ kafka, pool, name, topics: sources.map((s) => s.topic) });
  const commits = createSliceCommits({
    pool,
    projection: name,
    apply,
    givesWay,
    maxRecords: maxBatchRecords,
    onCommitted: noteCommitted,
  });
  const consumer = createSupervisedConsumer({
    kafka,
    logger,
    groupId: group,
    topics: sources.map((s) => s.topic),
    onAssigned,
    onBatch,
  });
  const stops = createPartitionStops({
    logger,
    name,
    controls: () => controls,
    isHeld,
    mayRead: ({ source: { name: sourceName } }) => mayRead(sourceName),
    claimAgain: ({ topic, partition }) => void claim([{ topic, partition }], held, 0),
    recordStop: ({ topic, partition, position: { epoch }, state }) =>
      markStopped(pool, name, { topic, partition, epoch, why: state }),
    alertMs,
  });
  const watch = createPositionWatch({ pool, projection: name, known });
  const watching = createRepeater({ everyMs: watchMs, work: look });
  const toolOffsets = createToolOffsets({ held: () => held.values(), controls: () => controls });
  const traced = sources.find((from) => from.name === tracedSource);
  const startSpan = tracer && traced && createSpanStart({ tracer, topic: traced.topic, isLive });

  function isHeld(h: Held): boolean {
    return held.get(`${h.topic}/${h.partition}`) === h;
  }

  /** Pauses everything before the first fetch; partitions resume as they are claimed. */
  function onAssigned(assignment: Assignment, newControls: Controls): void {
    controls = newControls;
    held = new Map();
    const partitions: { topic: string; partition: number }[] = [];
    for (const [topic, numbers] of assignment) {
      for (const partition of numbers) {
        newControls.pause(topic, partition);
        partitions.push({ topic, partition });
      }
    }
    unclaimed = partitions.length;
    logger.info('partitions assigned', { projection: name, partitions: partitions.length });
    if (partitions.length > 0) void claim(partitions, held, 0);
  }

  async function claim(
    partitions: { topic: string; partition: number }[],
    assignment: typeof held,
    attempt: number,
  ): Promise<void> {
    if (assignment !== held) return;
    try {
      const askedAfter = setbacks;
      const positions = await inTransaction(pool, async (tx) => {
        if (whenOlder === 'stand-still' && !(await watch.isIntact(tx))) throw new Error(older);
        return claimPositions(tx, name, partitions);
      });
      for (const [partition, { next }] of positions) {
        if (next > (known.get(partition) ?? -1n)) known.set(partition, next);
      }
      const ends = await readWatermarks(
        kafka,
        sources.map((s) => s.topic),
      ).catch(() => undefined);
      if (assignment !== held) return;
      if (askedAfter !== setbacks) return void claim(partitions, assignment, attempt);
      for (const { topic, partition } of partitions) {
        take(topic, partition, positions.get(`${topic}/${partition}`), ends);
      }
    } catch (error) {
      logger.error('cannot claim partitions; trying again', {
        projection: name,
        error: (error as Error).message,
      });
      stops.after(backOffMs(attempt), () => void claim(partitions, assignment, attempt + 1));
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
      end: position.next,
      verified: position.next === 0n,
      state: 'running',
      limit: maxBatchRecords,
      failures: 0,
    };
    if (!held.has(`${topic}/${partition}`)) unclaimed -= 1;
    held.set(`${topic}/${partition}`, h);
    const end = ends?.get(`${topic}/${partition}`);
    // What has expired is not there to be read.
    if (end && end.low < end.high) h.end = end.high;
    const lost = end && whatIsLost(position.next, end, from);
    if (lost !== undefined) return stops.refuse(h, lost);
    controls?.seek(topic, partition, position.next === 0n ? 0n : position.next - 1n);
    controls?.resume(topic, partition);
  }

  /** Without it, only a batch would find out, and only of its own partitions. */
  async function look(): Promise<void> {
    const wasOlder = isOlder;
    isOlder = !(await watch.isIntact());
    // Older again without having been intact between two looks is another setback, to be read again
    // too.
    if (!isOlder || (wasOlder && whenOlder === 'stand-still')) return;
    logger.error(`alert: ${older}`, { projection: name, whenOlder });
    for (const h of held.values()) {
      controls?.pause(h.topic, h.partition);
      h.state = 'claiming';
    }
    if (whenOlder === 'stand-still') return;
    setbacks += 1;
    watch.forget();
    if (held.size > 0) void claim([...held.values()], held, 0);
  }

  async function onBatch(payload: kafkajs.EachBatchPayload): Promise<void> {
    const { batch, resolveOffset, heartbeat, isStale, isRunning } = payload;
    const h = held.get(`${batch.topic}/${batch.partition}`);
    if (!h) return;
    const usable = () => h.state === 'running' && isHeld(h) && isRunning() && !isStale();
    if (!usable()) return;
    h.end = BigInt(batch.highWatermark);
    const fetchedMs = performance.now();

    let messages: readonly kafkajs.KafkaMessage[] = batch.messages;
    let fetchedFrom = h.position.next;
    if (!h.verified && whyUndecodable(messages[0]) === undefined) {
      const proof = provePosition(h, messages[0]);
      if (proof.outcome === 'mismatch') return stops.refuse(h, proof.detail);
      h.verified = true;
      if (proof.outcome === 'seen-again') {
        // At once: if the batch behind it fails, the next fetch must start after the proof.
        resolveOffset((h.position.next - 1n).toString());
        messages = messages.slice(1);
        fetchedFrom -= 1n;
      }
    }
    const isWhole = goesBack(batch.messages);
    while (messages.length > 0 && usable()) {
      if (!mayRead(h.source.name)) return stops.holdBack(h);
      if (givesWay()) {
        await delay(giveWayLookMs);
        await heartbeat();
        continue;
      }
      const slice = isWhole ? messages : messages.slice(0, h.limit);
      const done = await applySlice(h, slice, fetchedFrom);
      if (done > 0) resolveOffset((h.position.next - 1n).toString());
      // Errors of the client (a rebalance, above all) pass on: kafkajs acts on them itself.
      await heartbeat();
      messages = messages.slice(done);
    }
    if (batch.messages.length < trickleRecords) await letGather(h, fetchedMs);
  }

  /**
   * The next fetch then brings more records at once (decision 6). Counted from this one, so that
   * who reads what another stage sends in such steps finds each of them at once.
   */
  async function letGather({ topic, source: { name: sourceName } }: Held, fetchedMs: number) {
    const restMs = unhurried[sourceName];
    if (restMs !== undefined) return rest(topic, restMs);
    const leftMs = fetchedMs + gatherMs - performance.now();
    if (leftMs > 0) await delay(leftMs);
  }

  /** All partitions together, and nothing else. */
  function rest(topic: string, restMs: number): void {
    if (resting.has(topic)) return;
    resting.add(topic);
    const running = () =>
      [...held.values()].filter((h) => h.topic === topic && h.state === 'running');
    for (const { partition } of running()) controls?.pause(topic, partition);
    stops.after(restMs, () => {
      resting.delete(topic);
      for (const { partition } of running()) controls?.resume(topic, partition);
    });
  }

  /** Applies a prefix of the slice; says how many records it was. */
  async function applySlice(
    h: Held,
    messages: readonly kafkajs.KafkaMessage[],
    fetchedFrom: bigint,
  ): Promise<number> {
    const read = readSlice(messages, { ...h, fetchedFrom, group, deadLetterTopic, startSpan });
    for (const { reason, detail, offset, requestId } of read.broken) {
      logger.error('a record breaks its contract; it goes to the dead letters', {
        projection: name,
        topic: h.topic,
        partition: h.partition,
        offset,
        reason,
        detail,
        ...(requestId !== undefined && { requestId }),
      });
    }
    if (read.count > 0) {
      const { to } = read;
      try {
        await commits.commit({ held: h, from: h.position, to, read });
      } catch (error) {
        // One of an earlier assignment is left alone: whoever holds the partition now starts from
        // its stored position.
        if (isHeld(h)) stops.failed(h, error as Error, messages[0]!.offset, read.count);
        return 0;
      }
      h.position = { ...h.position, ...to };
      h.failures = 0;
      h.limit = Math.min(maxBatchRecords, h.limit * 2);
    }
    if (!isHeld(h)) return read.count;
    if (read.stop?.reason === 'gap') stops.refuse(h, read.stop.detail);
    if (read.stop?.reason === 'newer') stops.newerSchema(h, read.stop.detail);
    if (read.stop?.reason === 'undecodable') stops.undecodable(h, read.stop.detail);
    return read.count;
  }

  function noteCommitted(slices: readonly Slice[]): void {
    movedAtMs = performance.now();
    for (const { held: h, to } of slices) known.set(`${h.topic}/${h.partition}`, to.next);
    const records = slices.flatMap(({ read }) => read.records);
    measureAge(records);
    if (startSpan) endSpans(records);
    if (records.length > 0) onCommitted?.(records);
  }

  const asConsumer = (): Consumer => ({
    ...{ group, generation, isLive: isLive() },
    read: () => groupState.read(),
  });

  function measureAge(records: readonly Incoming[]): void {
    if (observeAge === undefined || !isLive()) return;
    const nowMs = Date.now();
    for (const { topic, timestampMs } of records) {
      // The broker's clock may be ahead.
      observeAge(Math.max(0, nowMs - timestampMs) / 1_000, { group, topic });
    }
  }

  return {
    start() {
      consumer.start();
      toolOffsets.start();
      watching.start();
      return Promise.resolve();
    },

    health() {
      const reading = consumer.health();
      if (!reading.ok) return reading;
      if (isOlder) return { ok: false, detail: older };
      if (unclaimed > 0) return { ok: false, detail: `${unclaimed} partitions not claimed yet` };
      const stopped = [...held.values()].filter(
        ({ state: s }) => s !== 'running' && s !== 'held-back',
      );
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

    lag() {
      const read = [...held.values()].filter(({ state }) => readStates.has(state));
      const left = read.map(({ end, position: { next } }) => (end > next ? Number(end - next) : 0));
      return { records: left.reduce((sum, records) => sum + records, 0), movedAtMs };
    },

    consumer: asConsumer,
    gauges: consumerGauges(() => [asConsumer()]),
    durations: {
      tributary_consumer_delay_seconds: {
        help: 'From the append of a record, by the brokers, until it was applied and committed.',
        labels: ['group', 'topic'],
        buckets: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 1_800],
        follow: (observe) => (observeAge = observe),
      },
    },

    async betweenBatches(topic, work) {
      const ours = [...held.values()].filter((h) => h.topic === topic);
      if (ours.length === 0) return undefined;
      return commits.between(
        ours.map(({ partition }) => partition),
        work,
      );
    },

    isIntact: watch.isIntact,
    setbacks: () => setbacks,

    async stop() {
      toolOffsets.stop();
      groupState.stop();
      // Together: a look hangs for as long as a database that has vanished does not answer.
      await Promise.all([watching.stop(), consumer.stop()]);
      held = new Map();
      stops.clear();
    },
  };
}

const older = 'the database is older than it was';

const giveWayLookMs = 50;

/** Nothing is wrong with a partition that is in one of these. */
const readStates = new Set<PartitionState>(['running', 'held-back']);

/** Fewer records of a partition than this in a fetch are a trickle. */
const trickleRecords = 50;

/** What was applied, or is to be, and is gone: with nothing behind it, no batch would ever tell. */
function whatIsLost(
  next: bigint,
  { low, high }: { low: bigint; high: bigint },
  { compacted }: Source,
): string | undefined {
  if (high < next) return `the log ends at offset ${high}, but offset ${next - 1n} was applied`;
  if (compacted || low <= next) return undefined;
  return `the log begins at offset ${low}, but offset ${next} was not read`;
}

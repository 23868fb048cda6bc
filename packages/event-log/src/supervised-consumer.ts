import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@tributary/runtime/logger';
import kafkajs from 'kafkajs';
import type { KafkaConnection } from './kafka.ts';
import { refusalOf } from './refusal.ts';
import { assignSamePartitions } from './same-partitions.ts';
import { within } from './within.ts';

/**
 * A kafkajs group consumer that cannot stay broken. kafkajs restarts by itself for some failures,
 * gives up for others, and can hang after a failed restart without a word. So: its own restarts
 * are off, a crash or a long silence throws the whole consumer away, and a new one takes over.
 *
 *   starting ──joined──▶ running ──crash, or silent for 45 s──▶ backing off ──▶ starting
 */
export type Assignment = ReadonlyMap<string, readonly number[]>;

/** Moves of the consumer that holds an assignment. Each does nothing once it is replaced. */
export type Controls = {
  pause(topic: string, partition: number): void;
  resume(topic: string, partition: number): void;
  seek(topic: string, partition: number, offset: bigint): void;
  commit(offsets: { topic: string; partition: number; offset: bigint }[]): Promise<void>;
};

export type SupervisedConsumer = {
  start(): void;
  health(): { ok: boolean; detail?: string };
  stop(): Promise<void>;
};

const silenceMs = 45_000;

/**
 * As on the wire. A client decodes a whole fetch at once, and large batches unpack to up to twenty
 * times as much: 40 MiB then.
 */
const fetchBytes = 2 << 20;
const fetchBytesPerPartition = 256 << 10;

export function createSupervisedConsumer(options: {
  kafka: KafkaConnection;
  logger: Logger;
  groupId: string;
  topics: readonly string[];
  /** Called synchronously at each join, before the first fetch. */
  onAssigned: (assignment: Assignment, controls: Controls) => void;
  /** Must not throw errors of its own: kafkajs would crash over them. */
  onBatch: (payload: kafkajs.EachBatchPayload) => Promise<void>;
  maxWaitMs?: number;
  maxBytesPerPartition?: number;
}): SupervisedConsumer {
  const { kafka, logger, groupId, topics, onAssigned, onBatch, maxWaitMs = 500 } = options;
  let stopping = false;
  let joined = false;
  let lastSignAt = performance.now();
  let current: { consumer: kafkajs.Consumer; giveUp: (reason: Error) => void } | undefined;
  let running: Promise<void> | undefined;
  /** What the brokers do not let this principal do. */
  let refused: string | undefined;

  async function superviseForEver(): Promise<void> {
    let backOffMs = 250;
    while (!stopping) {
      const startedAt = performance.now();
      try {
        await runOne();
      } catch (error) {
        if (stopping) return;
        refused = await refusalOf(error, { kafka, groupId, topics });
        logger.warn('the consumer broke; starting a new one', {
          groupId,
          error: refused ?? (error as Error).message,
          backOffMs,
        });
      }
      if (performance.now() - startedAt > 60_000) backOffMs = 250;
      if (!stopping) await delay(backOffMs);
      backOffMs = Math.min(5_000, backOffMs * 2);
    }
  }

  /** Lives as long as one kafkajs consumer does; rejects when it broke. */
  async function runOne(): Promise<void> {
    const consumer = createConsumer();
    const { promise: broken, reject: giveUp } = Promise.withResolvers<never>();
    broken.catch(() => undefined);
    current = { consumer, giveUp };
    const watchdog = setInterval(() => {
      if (performance.now() - lastSignAt > silenceMs) giveUp(new Error('no sign of life'));
    }, 5_000);
    const sign = () => void (lastSignAt = performance.now());
    sign();
    const { FETCH, HEARTBEAT, GROUP_JOIN, CRASH, END_BATCH_PROCESS } = consumer.events;
    consumer.on(FETCH, sign);
    consumer.on(HEARTBEAT, sign);
    consumer.on(END_BATCH_PROCESS, sign);
    consumer.on(CRASH, ({ payload }) => giveUp(payload.error));
    consumer.on(GROUP_JOIN, ({ payload }) => {
      if (current?.consumer !== consumer) return;
      sign();
      joined = true;
      refused = undefined;
      const assignment = new Map(Object.entries(payload.memberAssignment));
      onAssigned(assignment, controlsOf(consumer));
    });
    const started = start(consumer);
    try {
      await Promise.race([broken, started]);
      await broken;
    } finally {
      joined = false;
      clearInterval(watchdog);
      current = undefined;
      await tearDown(consumer, started);
    }
  }

  /**
   * kafkajs cannot stop what is only starting: disconnected in the middle of a join it would join
   * after all, and stay a member of the group that nobody can reach. So its start comes to its end
   * first; when that takes long (no broker answers), behind our back. No start takes a minute,
   * unless it hangs for ever.
   */
  async function tearDown(consumer: kafkajs.Consumer, started: Promise<void>): Promise<void> {
    const hasStarted = within(60_000, started).catch(() => undefined);
    const isGone = hasStarted
      .then(() => within(10_000, consumer.disconnect()))
      .catch(() => undefined);
    await within(3_000, hasStarted)
      .then(() => isGone)
      .catch(() => undefined);
  }

  async function start(consumer: kafkajs.Consumer): Promise<void> {
    // Replaced meanwhile: a second member of the group must not come to life.
    const isReplaced = () => current?.consumer !== consumer;
    await consumer.connect();
    if (isReplaced()) return;
    await consumer.subscribe({ topics: [...topics], fromBeginning: true });
    if (isReplaced()) return;
    await consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      // As many as a fetch may bring: batches that arrive together are handled together.
      partitionsConsumedConcurrently: 128,
      eachBatch: (payload) => (isReplaced() ? Promise.resolve() : onBatch(payload)),
    });
  }

  function createConsumer(): kafkajs.Consumer {
    return kafka.client.consumer({
      groupId,
      partitionAssigners: [assignSamePartitions, kafkajs.PartitionAssigners.roundRobin],
      sessionTimeout: kafka.sessionTimeoutMs,
      // A lost one, and the next that is late, still leave one in time.
      heartbeatInterval: Math.min(2_000, Math.floor(kafka.sessionTimeoutMs / 4)),
      rebalanceTimeout: 15_000,
      maxWaitTimeInMs: maxWaitMs,
      maxBytesPerPartition: options.maxBytesPerPartition ?? fetchBytesPerPartition,
      maxBytes: fetchBytes,
      metadataMaxAge: 60_000,
      allowAutoTopicCreation: false,
      retry: {
        initialRetryTime: 100,
        maxRetryTime: 1_000,
        retries: 5,
        restartOnFailure: () => Promise.resolve(false),
      },
    });
  }

  function controlsOf(consumer: kafkajs.Consumer): Controls {
    const active = () => current?.consumer === consumer;
    /** A consumer that is being torn down throws; the next assignment starts afresh anyway. */
    const tryTo = (move: () => void) => {
      if (!active()) return;
      try {
        move();
      } catch (error) {
        logger.debug('the consumer is going down', { groupId, error: (error as Error).message });
      }
    };
    return {
      pause: (topic, partition) =>
        tryTo(() => consumer.pause([{ topic, partitions: [partition] }])),
      resume: (topic, partition) =>
        tryTo(() => consumer.resume([{ topic, partitions: [partition] }])),
      seek: (topic, partition, offset) =>
        tryTo(() => consumer.seek({ topic, partition, offset: offset.toString() })),
      commit: async (offsets) => {
        if (!active() || offsets.length === 0) return;
        const wire = offsets.map((o) => ({ ...o, offset: o.offset.toString() }));
        await consumer.commitOffsets(wire);
      },
    };
  }

  return {
    start() {
      running ??= superviseForEver();
    },
    health() {
      if (!joined) return { ok: false, detail: refused ?? `group ${groupId}: not joined` };
      return { ok: true };
    },
    async stop() {
      stopping = true;
      current?.giveUp(new Error('stopping'));
      await running;
    },
  };
}

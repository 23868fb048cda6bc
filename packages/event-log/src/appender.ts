import type { Durations, ObserveDuration } from '@tributary/runtime/component';
import type { Logger } from '@tributary/runtime/logger';
import kafkajs from 'kafkajs';
import { createBrokerProbe } from './broker-probe.ts';
import { createGatherer, type Gathered, partitionName } from './gather.ts';
import type { KafkaConnection } from './kafka.ts';
import { createPartitionRetries } from './partition-retries.ts';
import { partitionOf } from './partitioner.ts';
import type { TraceHeaders } from './record-traces.ts';
import { createTicketBook } from './ticket-book.ts';
import { within } from './within.ts';

/**
 * Appends records to the log and tells the caller when the brokers have them (acks = all).
 *
 * An append is a ticket of one or more records. Records gather for about 2 ms and go out in one
 * produce request (kafkajs has no linger). Their life:
 *
 *   queued ──gather──▶ sent ──ack──▶ done
 *                        └─refused─▶ the gather's partitions are sent again, each alone ─▶ done
 *
 * A partition that fails alone becomes `sick`: its records go straight to its own retry loop until
 * one send of it succeeds, so a leaderless or overfull partition refuses nobody else's records. A
 * gather that gets no answer for two seconds counts as refused, so a broker that hangs holds up its
 * own partitions only.
 * A ticket past its deadline is refused; what of it was not sent yet is dropped, what was sent may
 * or may not be on the log. So a refusal means "zero or one", and retrying the same record is safe
 * because readers drop the copy by its id. Idempotent producing stays off on purpose (design 5).
 */
export type Entry = {
  /** Name on the broker. */
  topic: string;
  key: string;
  /** Wire text; null is a tombstone. */
  value: string | null;
  /** Only of what is traced. */
  headers?: TraceHeaders | undefined;
};

/**
 * What the leader of a partition said the time is, by the append time in its acknowledgement. It
 * was so at some moment of the `looseMs` after the record was sent: at `sentMs` by this process's
 * monotonic clock, at `sentAt` by its wall clock. The two move apart when the process is paused
 * with its machine.
 */
export type LogTime = { at: Date; sentMs: number; sentAt: Date; looseMs: number };

export type Appender = {
  /** Starts connecting; does not wait for the brokers, see {@link Appender.health}. */
  start(): Promise<void>;
  /**
   * Resolves when every entry is acknowledged. @throws {AppendRefused} after the deadline, or at
   * once when the brokers do not answer or the queue is full.
   */
  append(entries: readonly Entry[]): Promise<void>;
  health(): { ok: boolean; detail?: string };
  durations: Durations;
  /** The time of the newest acknowledgement, however old that is; undefined before the first. */
  logTime(): LogTime | undefined;
  /** Refuses new appends, waits for those under way, disconnects. */
  stop(): Promise<void>;
};

/** The append did not get its acknowledgement. Always worth a retry with the same records. */
export class AppendRefused extends Error {
  readonly retryable = true;
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'AppendRefused';
  }
}

export function createAppender(options: {
  kafka: KafkaConnection;
  logger: Logger;
  gatherMs?: number;
  maxGatherRecords?: number;
  /** From `append` to refusal; keep it below the caller's own timeout. */
  deadlineMs?: number;
  maxQueuedRecords?: number;
  /** Between two looks at how many partitions one of the topics has. */
  recountMs?: number;
}): Appender {
  const { kafka, logger, gatherMs = 2, maxGatherRecords = 500 } = options;
  const { deadlineMs = 5_000, maxQueuedRecords = 20_000 } = options;
  const produceTimeoutMs = Math.max(1_000, deadlineMs - 1_000);

  let producer = createProducer(kafka);
  let stopping = false;
  let isStopped = false;
  let failuresInARow = 0;
  let logTime: LogTime | undefined;
  let observeAppend: ObserveDuration | undefined;
  let replacing: Promise<boolean> | undefined;
  const probe = createBrokerProbe({
    ...{ kafka, logger },
    ...(options.recountMs !== undefined && { recountMs: options.recountMs }),
    // One that is connected already does not know them.
    beforeGrowth: replaceProducer,
  });
  const tickets = createTicketBook<Entry>({ deadlineMs, refuse: expired });
  const retries = createPartitionRetries({ send, onAcked: tickets.acked, isLive: tickets.isLive });
  const gatherer = createGatherer({
    gatherMs,
    maxGatherRecords,
    flush: sendGathered,
    isLive: tickets.isLive,
  });

  async function send(records: readonly Gathered[]): Promise<void> {
    const byTopic = new Map<string, kafkajs.Message[]>();
    const partitions = new Set<string>();
    for (const record of records) {
      const { entry, partition } = record;
      let messages = byTopic.get(entry.topic);
      if (!messages) byTopic.set(entry.topic, (messages = []));
      const { key, value, headers } = entry;
      messages.push(headers ? { key, value, partition, headers } : { key, value, partition });
      partitions.add(partitionName(record));
    }
    const topicMessages = [...byTopic].map(([topic, messages]) => ({ topic, messages }));
    const used = producer;
    const sent = { sentMs: performance.now(), sentAt: new Date() };
    try {
      const request = { acks: -1, timeout: produceTimeoutMs, topicMessages };
      const acks = await used.sendBatch({ ...request, compression: kafka.compression });
      // kafkajs leaves out silently what goes to a partition that it does not know.
      if (acks.length < partitions.size) {
        for (const topic of byTopic.keys()) probe.forgetPartitions(topic);
        if (used === producer) await replaceProducer();
        throw new Error('the producer did not know all of the partitions');
      }
      logTime = timeOf(acks, sent) ?? logTime;
      failuresInARow = 0;
      probe.answered();
    } catch (error) {
      failuresInARow += 1;
      throw error;
    } finally {
      closeIfUnused(used);
    }
  }

  /** What was under way when a producer was closed may have opened a connection again. */
  function closeIfUnused(used: kafkajs.Producer): void {
    if (isStopped || used !== producer) void used.disconnect().catch(() => undefined);
  }

  async function sendGathered(gathered: readonly Gathered[]): Promise<void> {
    const { healthy, sick } = retries.split(gathered);
    retries.add(sick);
    if (healthy.length === 0) return;
    try {
      await within(slowGatherMs, send(healthy));
      tickets.acked(healthy);
    } catch (error) {
      logger.warn('a gathered append was refused; sending its partitions one by one', {
        records: healthy.length,
        error: (error as Error).message,
      });
      replaceStuckProducer();
      retries.add(healthy);
    }
  }

  /** How many partitions; not later than the ticket's deadline. */
  async function findPartitions(topic: string, settled: Promise<void>): Promise<number> {
    const late = settled.then(() => Promise.reject(new Error('settled early')));
    return Promise.race([probe.findPartitions(topic), late]);
  }

  /** kafkajs can stay on a dead connection for ever; a fresh producer always finds its way. */
  function replaceStuckProducer(): void {
    if (failuresInARow < 20 || !probe.health().ok) return;
    failuresInARow = 0;
    logger.warn('the producer failed many times while the brokers answer; replacing it');
    void replaceProducer();
  }

  /** Keeps the old one until the new one is connected. Resolves to whether it has taken over. */
  function replaceProducer(): Promise<boolean> {
    replacing ??= takeOver().finally(() => (replacing = undefined));
    return replacing;
  }

  async function takeOver(): Promise<boolean> {
    const next = createProducer(kafka);
    const isConnected = await next.connect().then(
      () => !isStopped,
      () => false,
    );
    const old = producer;
    if (isConnected) producer = next;
    closeIfUnused(old);
    closeIfUnused(next);
    return isConnected;
  }

  function expired(): AppendRefused {
    replaceStuckProducer();
    return new AppendRefused(`no acknowledgement within ${deadlineMs} ms`);
  }

  async function append(entries: readonly Entry[]): Promise<void> {
    if (stopping) throw new AppendRefused('the appender is stopping');
    const health = probe.health();
    if (!health.ok) throw new AppendRefused(health.detail ?? 'the brokers do not answer');
    if (tickets.liveRecords() + entries.length > maxQueuedRecords) {
      throw new AppendRefused('the queue is full');
    }
    const { records, settled } = tickets.open(entries);
    try {
      for (const record of records) {
        const { topic, key } = record.entry;
        // Awaiting what is known would cost every record a turn of the event loop.
        const count = probe.knownPartitions(topic) ?? (await findPartitions(topic, settled));
        gatherer.add({ ...record, partition: partitionOf(topic, key, count) });
      }
    } catch (error) {
      tickets.refuse(records, new AppendRefused('the topic is not known', { cause: error }));
    }
    return settled;
  }

  return {
    async start() {
      probe.start();
      // A failed first connect is no failure of the process: when sends fail, another one is made.
      const first = producer;
      await first.connect().catch((error: unknown) => {
        logger.warn('the brokers do not answer yet', { error: (error as Error).message });
      });
      closeIfUnused(first);
    },

    async append(entries) {
      if (entries.length === 0) return;
      const startedMs = performance.now();
      const measure = (result: string) =>
        observeAppend?.((performance.now() - startedMs) / 1_000, { result });
      await append(entries).then(
        () => measure('acknowledged'),
        (error: unknown) => {
          measure('refused');
          throw error;
        },
      );
    },

    durations: {
      tributary_log_append_duration_seconds: {
        help: 'From the call until the brokers have all records of it, or it is refused.',
        labels: ['result'],
        buckets: [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
        follow: (observe) => (observeAppend = observe),
      },
    },

    health: () => probe.health(),
    logTime: () => logTime,

    async stop() {
      stopping = true;
      await tickets.allSettled();
      retries.stop();
      probe.stop();
      isStopped = true;
      await producer.disconnect().catch(() => undefined);
    },
  };
}

const slowGatherMs = 2_000;

/** Undefined of topics whose times are the producers' own; ours are not (`LogAppendTime`). */
function timeOf(
  acks: readonly kafkajs.RecordMetadata[],
  sent: { sentMs: number; sentAt: Date },
): LogTime | undefined {
  const atMs = Math.max(...acks.map(({ logAppendTime }) => Number(logAppendTime ?? -1)));
  if (!(atMs > 0)) return undefined;
  return { at: new Date(atMs), ...sent, looseMs: performance.now() - sent.sentMs };
}

function createProducer({ client }: KafkaConnection): kafkajs.Producer {
  return client.producer({
    createPartitioner: kafkajs.Partitioners.DefaultPartitioner,
    allowAutoTopicCreation: false,
    idempotent: false,
    // One try: who waits, and for how long, is decided here and not inside the client.
    retry: { retries: 0, initialRetryTime: 50, maxRetryTime: 100 },
  });
}

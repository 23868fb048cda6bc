import type { Logger } from '@tributary/runtime/logger';
import type kafkajs from 'kafkajs';
import type { KafkaConnection } from './kafka.ts';

/**
 * Asks the brokers for metadata every second, so that a caller can be refused at once instead of
 * after its deadline when nobody answers (design 5, "Health gate"). Also knows how many partitions
 * a topic has, and looks again now and then: they may be given more.
 */
export function createBrokerProbe(options: {
  kafka: KafkaConnection;
  logger: Logger;
  everyMs?: number;
  graceMs?: number;
  /** Between two looks at the partitions of one of the topics, in turn. */
  recountMs?: number;
  /** Asked before a larger number of partitions is said to anybody; false: not yet. */
  beforeGrowth?: () => Promise<boolean>;
}) {
  const { kafka, logger, everyMs = 1_000, graceMs = 3_000 } = options;
  const { recountMs = 3_000, beforeGrowth } = options;
  const createAdmin = () => kafka.client.admin({ retry: { retries: 0 } });
  let admin = createAdmin();
  let failures = 0;
  const partitions = new Map<string, number>();
  const asking = new Map<string, Promise<number>>();
  let lastAnswerAt = -Infinity;
  let recountedAt = performance.now();
  let wasOk = false;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let probing = false;

  async function probe(): Promise<void> {
    if (probing) return;
    probing = true;
    try {
      await ask(async (asked) => {
        await asked.connect();
        if (!stopped) await asked.describeCluster();
      });
      answered();
      failures = 0;
      if (performance.now() - recountedAt >= recountMs) void recountNext();
    } catch {
      // Silence is the finding; health() reports it. A connection may hang for ever, so the next
      // question goes out over a fresh one.
      failures += 1;
      if (failures % 3 === 0) replaceAdmin();
    } finally {
      probing = false;
    }
    const { ok } = health();
    if (ok !== wasOk && !stopped) {
      logger[ok ? 'info' : 'error'](ok ? 'the brokers answer' : 'the brokers do not answer');
    }
    wasOk = ok;
  }

  function replaceAdmin(): void {
    const old = admin;
    admin = createAdmin();
    asking.clear();
    close(old);
  }

  /** For a question that is under way when its connection is closed, kafkajs opens another one. */
  async function ask<T>(question: (asked: kafkajs.Admin) => Promise<T>): Promise<T> {
    const asked = admin;
    try {
      return await question(asked);
    } finally {
      if (stopped || asked !== admin) close(asked);
    }
  }

  function close(old: kafkajs.Admin): void {
    void old.disconnect().catch(() => undefined);
  }

  function answered(): void {
    lastAnswerAt = performance.now();
  }

  function health(): { ok: boolean; detail?: string } {
    const silentMs = performance.now() - lastAnswerAt;
    if (silentMs <= everyMs + graceMs) return { ok: true };
    const since = Number.isFinite(silentMs)
      ? `for ${Math.round(silentMs / 1000)} s`
      : 'since start';
    return { ok: false, detail: `the brokers have not answered ${since}` };
  }

  async function readPartitions(topic: string): Promise<number> {
    const { topics } = await ask((asked) => asked.fetchTopicMetadata({ topics: [topic] }));
    const found = topics.find(({ name }) => name === topic);
    if (!found || found.partitions.length === 0) throw new Error(`no metadata for topic ${topic}`);
    return found.partitions.length;
  }

  /** In turn. What cannot be read now, as of a topic without a leader, stays as it was. */
  async function recountNext(): Promise<void> {
    recountedAt = performance.now();
    const [next] = partitions;
    if (next === undefined || stopped) return;
    const [topic, known] = next;
    partitions.delete(topic);
    partitions.set(topic, known);
    const count = await readPartitions(topic).catch(() => known);
    if (count <= known) return;
    logger.info('a topic has more partitions', { topic, had: known, has: count });
    if (beforeGrowth && !(await beforeGrowth())) return;
    // Asked for anew meanwhile, it may be larger still.
    partitions.set(topic, Math.max(count, partitions.get(topic) ?? 0));
  }

  return {
    start(): void {
      void probe();
      timer = setInterval(() => void probe(), everyMs);
    },
    stop(): void {
      stopped = true;
      clearInterval(timer);
      close(admin);
    },
    answered,
    health,
    /** The number that is known of this topic is wrong. */
    forgetPartitions: (topic: string): void => void partitions.delete(topic),
    /** Undefined before anybody asked for them. */
    knownPartitions: (topic: string): number | undefined => partitions.get(topic),
    /** All who ask for a topic at once, as after a start under load, share one question. */
    async findPartitions(topic: string): Promise<number> {
      const known = partitions.get(topic);
      if (known !== undefined) return known;
      const asked = asking.get(topic) ?? readPartitions(topic);
      asking.set(topic, asked);
      try {
        const count = await asked;
        partitions.set(topic, count);
        return count;
      } finally {
        if (asking.get(topic) === asked) asking.delete(topic);
      }
    },
  };
}

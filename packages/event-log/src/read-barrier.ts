import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@tributary/runtime/logger';
import type { KafkaConnection } from './kafka.ts';
import { createEndReader, type Ends } from './read-ends.ts';
import { unreadPartitions } from './unread-partitions.ts';

/**
 * Before a reader answers that something does not exist, it makes sure that it has read what the
 * log held when it was asked: what was acknowledged before the question is then found by every
 * replica, however many there are and whichever just started (docs/decisions/0022). What is found
 * at once never comes here.
 *
 *   asked ─▶ ends of the log, looked up after the question ─▶ positions have reached them: true
 *        └▶ neither within the bound, or too many are waiting: false; the reader answers as it knows
 *
 * Questions that arrive together share one look at the ends and one at the positions, a few dozen
 * a second at most, so that asking for what nobody has cannot be used to overload the brokers.
 */
export type ReadBarrier = {
  /** Whether everything the log held at the time of the call has been read. Never rejects. */
  becomeCurrent(): Promise<boolean>;
  stop(): void;
};

/** Next offsets of the partitions, keyed `topic/partition`. */
export type ReadPositions = ReadonlyMap<string, bigint>;

export function createReadBarrier(options: {
  kafka: KafkaConnection;
  logger: Logger;
  topics: readonly string[];
  /** How far this reader is now, by whichever process the positions were moved. */
  positions: () => ReadPositions | Promise<ReadPositions>;
  /** Partitions that cannot be read on, as somebody has to deploy or repair something. */
  stopped?: () => ReadonlySet<string> | Promise<ReadonlySet<string>>;
  boundMs?: number;
  maxWaiting?: number;
}): ReadBarrier {
  const { kafka, logger, topics, positions, stopped = () => none } = options;
  const { boundMs = 2_000, maxWaiting = 1_000 } = options;
  const endReader = createEndReader({ kafka, topics, timeoutMs: boundMs });
  const waiting = new Set<Waiting>();
  let isRunning = false;
  let isStopped = false;

  async function run(): Promise<void> {
    if (isRunning) return;
    isRunning = true;
    while (waiting.size > 0) {
      // First of all, so that questions of the same moment share what follows.
      await delay(roundMs);
      try {
        await round();
      } catch (error) {
        logger.debug('cannot tell whether the log has been read to its end', { error });
      }
    }
    isRunning = false;
  }

  async function round(): Promise<void> {
    const newcomers = [...waiting].filter(({ ends }) => ends === undefined);
    if (newcomers.length > 0) {
      const ends = await endReader.read();
      for (const newcomer of newcomers) newcomer.ends = ends;
    }
    const read = await positions();
    const left = await stopped();
    for (const asked of [...waiting]) {
      if (!asked.ends) continue;
      // What has expired is not waited for: the answer would only come later.
      const { isToWaitFor } = unreadPartitions(asked.ends, read, left, () => true);
      if (!isToWaitFor) asked.answer(true);
    }
  }

  return {
    becomeCurrent() {
      if (isStopped || waiting.size >= maxWaiting) return Promise.resolve(false);
      return new Promise((resolve) => {
        const timer = setTimeout(() => asked.answer(false), boundMs);
        const asked: Waiting = {
          ends: undefined,
          answer(isCurrent) {
            clearTimeout(timer);
            waiting.delete(asked);
            resolve(isCurrent);
          },
        };
        waiting.add(asked);
        void run();
      });
    },
    stop() {
      isStopped = true;
      for (const asked of [...waiting]) asked.answer(false);
      endReader.stop();
    },
  };
}

type Waiting = { ends: Ends | undefined; answer: (isCurrent: boolean) => void };

/** Between two looks: the records themselves take about as long from the brokers to a reader. */
const roundMs = 20;
const none: ReadonlySet<string> = new Set();

import type kafkajs from 'kafkajs';
import type { KafkaConnection } from './kafka.ts';
import { within } from './within.ts';

export type Ends = ReadonlyMap<string, { low: bigint; high: bigint }>;

/**
 * First and end offset of every partition, keyed `topic/partition`, for who asks often: over one
 * connection that stays open. An answer that fails or is late costs the connection, as it may hang
 * for ever or believe in a leader that is gone.
 */
export function createEndReader(options: {
  kafka: KafkaConnection;
  topics: readonly string[];
  timeoutMs: number;
}): { read(): Promise<Ends>; stop(): void } {
  const { kafka, topics, timeoutMs } = options;
  let admin: kafkajs.Admin | undefined;
  let isStopped = false;

  async function readOver(asked: kafkajs.Admin): Promise<Ends> {
    await asked.connect();
    const ends = new Map<string, { low: bigint; high: bigint }>();
    for (const topic of topics) {
      for (const { partition, low, high } of await asked.fetchTopicOffsets(topic)) {
        ends.set(`${topic}/${partition}`, { low: BigInt(low), high: BigInt(high) });
      }
    }
    return ends;
  }

  function close(asked: kafkajs.Admin): void {
    if (admin === asked) admin = undefined;
    void asked.disconnect().catch(() => undefined);
  }

  return {
    async read() {
      if (isStopped) throw new Error('the connection to the brokers is closed');
      const asked = (admin ??= kafka.client.admin({ retry: { retries: 0 } }));
      const answer = readOver(asked);
      // For a question that is under way when its connection is closed, kafkajs opens another one.
      const end = () => void (isStopped && close(asked));
      answer.then(end, end);
      try {
        return await within(timeoutMs, answer);
      } catch (error) {
        close(asked);
        throw error;
      }
    },
    stop() {
      isStopped = true;
      if (admin) close(admin);
    },
  };
}

import type { Appender, createAppender } from '@tributary/event-log/appender';
import kafkajs from 'kafkajs';

/** Baseline: one awaited kafkajs send per request, the usual way. */
export const createAwaitedAppender: typeof createAppender = ({ kafka }): Appender => {
  const producer = kafka.client.producer({
    createPartitioner: kafkajs.Partitioners.DefaultPartitioner,
    allowAutoTopicCreation: false,
  });
  return {
    start: () => producer.connect(),
    async append(entries) {
      const byTopic = Map.groupBy(entries, (entry) => entry.topic);
      const topicMessages = [...byTopic].map(([topic, messages]) => ({
        topic,
        messages: messages.map(({ key, value }) => ({ key, value })),
      }));
      await producer.sendBatch({ acks: -1, topicMessages });
    },
    health: () => ({ ok: true }),
    durations: {},
    logTime: () => undefined,
    stop: () => producer.disconnect(),
  };
};

/** Baseline: no log at all. What remains is HTTP, checking and, for keyed requests, Redis. */
export const createNoAppender: typeof createAppender = (): Appender => ({
  start: () => Promise.resolve(),
  append: () => Promise.resolve(),
  health: () => ({ ok: true }),
  durations: {},
  logTime: () => undefined,
  stop: () => Promise.resolve(),
});

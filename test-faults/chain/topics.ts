import { type CatalogRecord, catalogCodec } from '@tributary/contracts/catalog-record';
import { type CodeRecord, codeCodec } from '@tributary/contracts/code-record';
import { type DecisionRecord, decisionCodec } from '@tributary/contracts/decision-record';
import { type EventRecord, eventCodec } from '@tributary/contracts/event-record';
import type { Codec } from '@tributary/contracts/record';
import { recordKey, type Topic, topicName } from '@tributary/contracts/topics';
import { createAppender, type Entry } from '@tributary/event-log/appender';
import { scanTopic } from '@tributary/event-log/scan-topic';
import { connectTo, silentLogger } from '@tributary/event-log/testing';
import { createTopics, topicSpecs } from '@tributary/event-log/topic-admin';
import { eventually } from '@tributary/testkit/eventually';

/** What a test or benchmark of the folds appends itself, and in which order. */
export type Fact = EventRecord | CodeRecord | CatalogRecord | DecisionRecord;

export type Topics = Awaited<ReturnType<typeof openTopics>>;

/** All topics of a deployment under a prefix of its own, made where they are missing. */
export async function openTopics(where: Parameters<typeof connectTo>[0], prefix: string) {
  const kafka = connectTo(where);
  const kafkaBrokers = typeof where === 'string' ? where : where.kafkaBrokers;
  const wiring = { prefix, generation: 1, replication: 1, minInsync: 1 };
  const nameOf = (topic: Topic, generation = 1) => topicName(topic, { ...wiring, generation });
  await createTopics({ kafka, logger: silentLogger, topics: topicSpecs(wiring) });
  const appender = createAppender({ kafka, logger: silentLogger, deadlineMs: 30_000 });
  await appender.start();
  await eventually(() => {
    if (!appender.health().ok) throw new Error('the appender is not ready');
  });

  function toEntry(fact: Fact): Entry {
    const { tenantId } = fact;
    if ('entity' in fact) {
      const value = catalogCodec.encode(fact);
      return { topic: nameOf('catalog'), key: recordKey(tenantId), value };
    }
    if ('decisionId' in fact) {
      const key = recordKey(tenantId, fact.newUserId);
      return { topic: nameOf('attributions'), key, value: decisionCodec.encode(fact) };
    }
    if ('eventType' in fact) {
      const key = recordKey(tenantId, fact.newUser.id);
      return { topic: nameOf('events'), key, value: eventCodec.encode(fact) };
    }
    const key = recordKey(tenantId, fact.ucc);
    return { topic: nameOf('codes'), key, value: codeCodec.encode(fact) };
  }

  return {
    kafka,
    kafkaSettings: { brokers: kafkaBrokers.split(',') },
    prefix,
    nameOf,
    wiring,

    /** In this order within each partition; resolves when the brokers have them. */
    async append(facts: readonly Fact[], onProgress: (done: number) => void = () => undefined) {
      for (let from = 0; from < facts.length; from += chunk) {
        await appender.append(facts.slice(from, from + chunk).map(toEntry));
        onProgress(Math.min(facts.length, from + chunk));
      }
    },

    async read<T>(topic: Topic, codec: Codec<T>): Promise<T[]> {
      const found = new Map<string, T>();
      await scanTopic({
        kafka,
        logger: silentLogger,
        topic: nameOf(topic),
        codec,
        onRecord: ({ value, partition, offset }) => {
          if (value !== null) found.set(`${partition}/${offset}`, value);
        },
      });
      return [...found.values()];
    },

    close: () => appender.stop(),
  };
}

const chunk = 2_000;

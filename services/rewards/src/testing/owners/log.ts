import type { CampaignRevisionRecord } from '@tributary/contracts/catalog-record';
import { catalogCodec } from '@tributary/contracts/catalog-record';
import {
  decisionCodec,
  decisionKey,
  type DecisionRecord,
} from '@tributary/contracts/decision-record';
import { issuanceCodec, type IssuanceFact } from '@tributary/contracts/issuance-record';
import { recordKey, topicPartitions } from '@tributary/contracts/topics';
import { partitionOf } from '@tributary/event-log/partitioner';
import type { readSlice } from '@tributary/event-log/read-slice';

export type Message = Parameters<typeof readSlice>[0][number];
export const topicNames = ['attributions', 'issuances', 'catalog'] as const;
export type TopicName = (typeof topicNames)[number];

/** The topics that rewards reads, in memory: partitioned, encoded and read as on the brokers. */
export function createLog() {
  const partitions = new Map<string, Message[]>();
  let appended = 0;

  function messages(topic: TopicName, partition: number): Message[] {
    const name = `${topic}/${partition}`;
    if (!partitions.has(name)) partitions.set(name, []);
    return partitions.get(name)!;
  }

  function append(topic: TopicName, key: string, value: string | null): void {
    const log = messages(topic, partitionOf(topic, key, topicPartitions));
    log.push({
      key: Buffer.from(key),
      value: value === null ? null : Buffer.from(value),
      timestamp: String((appended += 1)),
      attributes: 0,
      offset: String(log.length),
      size: 0,
    });
  }

  return {
    messages,
    append,
    appendDecision: (decision: DecisionRecord) =>
      append('attributions', decisionKey(decision), decisionCodec.encode(decision)),
    appendRevision: (revision: CampaignRevisionRecord) =>
      append('catalog', recordKey(revision.tenantId), catalogCodec.encode(revision)),

    /** What was issued and said, in the order of each partition. */
    facts(): IssuanceFact[] {
      const all = Array.from({ length: topicPartitions }, (_, p) => messages('issuances', p));
      return all.flat().map(({ value }) => {
        const decoded = issuanceCodec.decode(value);
        if (decoded.outcome !== 'record') throw new Error('not a fact');
        return decoded.value;
      });
    },
  };
}

export type MemoryLog = ReturnType<typeof createLog>;

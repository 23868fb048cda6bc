import { deadLetterCodec } from '@tributary/contracts/dead-letter-record';
import { derivedId } from '@tributary/contracts/derived-id';
import type { Decoded } from '@tributary/contracts/record';
import type kafkajs from 'kafkajs';

/** The dead letter of a record: origin, reason and, unless it is about a person, its bytes. */
export function deadLetterOf(options: {
  held: { topic: string; partition: number; source: { personal: boolean } };
  message: kafkajs.KafkaMessage;
  decoded: Extract<Decoded<unknown>, { outcome: 'broken' }>;
  group: string;
  deadLetterTopic: string;
}): { topic: string; key: string; value: string } {
  const { held, message, decoded, group, deadLetterTopic } = options;
  const key = message.key?.toString() ?? null;
  const { topic, partition } = held;
  const value = deadLetterCodec.encode({
    schemaVersion: 1,
    // Derived from its cause: the same record met twice is one dead letter.
    deadLetterId: derivedId('dead-letter', group, topic, partition, message.offset),
    origin: { topic, partition, offset: message.offset, key },
    reader: group,
    reason: decoded.reason,
    detail: decoded.detail,
    value: held.source.personal ? null : (message.value?.toString('base64') ?? null),
    originTimestampMs: Number(message.timestamp),
  });
  return { topic: deadLetterTopic, key: key ?? '', value };
}

import { toLetterKey } from '@tributary/contracts/dead-letter-key';
import { deadLetterCodec, deadLetterSchemaVersion } from '@tributary/contracts/dead-letter-record';
import { derivedId } from '@tributary/contracts/derived-id';
import type { Decoded } from '@tributary/contracts/record';
import type kafkajs from 'kafkajs';

/** Larger values are cut: a dead letter that the broker refuses would never leave the outbox. */
const maxValueBytes = 256 * 1024;

/** The dead letter of a record: origin, reason and, unless it is about a person, its bytes. */
export function deadLetterOf(options: {
  held: { topic: string; partition: number; source: { personal: boolean } };
  message: kafkajs.KafkaMessage;
  decoded: Extract<Decoded<unknown>, { outcome: 'broken' }>;
  group: string;
  deadLetterTopic: string;
}): { topic: string; key: string; value: string } {
  const { held, message, decoded, group, deadLetterTopic } = options;
  const { topic, partition, source } = held;
  const key = toLetterKey(message.key, source);
  const bytes = source.personal ? null : message.value;
  const cut = bytes !== null && bytes.length > maxValueBytes;
  const value = deadLetterCodec.encode({
    schemaVersion: deadLetterSchemaVersion,
    type: 'put-aside',
    // Derived from its cause: the same record met twice is one dead letter.
    deadLetterId: derivedId('dead-letter', group, topic, partition, message.offset),
    origin: { topic, partition, offset: message.offset, ...key },
    reader: group,
    reason: decoded.reason,
    detail: cut ? `${decoded.detail}; value cut from ${bytes.length} bytes` : decoded.detail,
    value: bytes?.subarray(0, maxValueBytes).toString('base64') ?? null,
    ...(cut && { cutFromBytes: bytes.length }),
    originTimestampMs: Number(message.timestamp),
  });
  return { topic: deadLetterTopic, key: key.key ?? '', value };
}

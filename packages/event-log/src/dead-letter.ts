import { deadLetterCodec } from '@tributary/contracts/dead-letter-record';
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
  // A key may be anything; Postgres text, where the outbox keeps it, holds no NUL.
  const key = message.key?.toString('utf8').replaceAll('\0', '\ufffd').slice(0, 1_000) ?? null;
  const bytes = held.source.personal ? null : message.value;
  const cut = bytes !== null && bytes.length > maxValueBytes;
  const { topic, partition } = held;
  const value = deadLetterCodec.encode({
    schemaVersion: 1,
    // Derived from its cause: the same record met twice is one dead letter.
    deadLetterId: derivedId('dead-letter', group, topic, partition, message.offset),
    origin: { topic, partition, offset: message.offset, key },
    reader: group,
    reason: decoded.reason,
    detail: cut ? `${decoded.detail}; value cut from ${bytes.length} bytes` : decoded.detail,
    value: bytes?.subarray(0, maxValueBytes).toString('base64') ?? null,
    originTimestampMs: Number(message.timestamp),
  });
  return { topic: deadLetterTopic, key: key ?? '', value };
}

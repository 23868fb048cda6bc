import type kafkajs from 'kafkajs';
import { deadLetterOf } from './dead-letter.ts';
import { type Advance, type Position, recordDigest } from './position.ts';
import type { Incoming, Source } from './projection.ts';
import { contextOf, type StartSpan } from './record-traces.ts';
import { whyUndecodable } from './undecodable.ts';

/** What a run of messages of one partition turned out to be, up to where it must stop. */
export type SliceReading = {
  records: Incoming[];
  deadLetters: { topic: string; key: string; value: string }[];
  broken: { offset: string; reason: string; detail: string; requestId: string | undefined }[];
  /** Messages read: records, tombstones and broken ones. */
  count: number;
  /** Where the partition stands when they are applied. */
  to: Advance['to'];
  /** Why the next message is not read. */
  stop?: { reason: 'gap' | 'newer' | 'undecodable'; detail: string };
};

/**
 * Offsets may go back within one fetch: a broker that fails while it appends, as one does whose
 * disk is full, keeps what it wrote and gives the same offsets to what comes next, such as the same
 * records again. All of them are read, in the order of the log.
 */
export function readSlice(
  messages: readonly kafkajs.KafkaMessage[],
  at: {
    source: Source;
    topic: string;
    partition: number;
    position: Position;
    /** Where the fetch began that brought them. */
    fetchedFrom: bigint;
    group: string;
    deadLetterTopic: string;
    startSpan?: StartSpan | undefined;
  },
): SliceReading {
  const { source, topic, partition, position, fetchedFrom, group, deadLetterTopic, startSpan } = at;
  const reading: Omit<SliceReading, 'to'> = { records: [], deadLetters: [], broken: [], count: 0 };
  let expected = position.next;
  const upTo = (stop?: SliceReading['stop']): SliceReading => ({
    ...reading,
    to: standingAfter(messages.slice(0, reading.count), position),
    ...(stop && { stop }),
  });
  for (const message of messages) {
    const undecodable = whyUndecodable(message);
    if (undecodable !== undefined) {
      return upTo({ reason: 'undecodable', detail: undecodable });
    }
    const offset = BigInt(message.offset);
    if (offset < fetchedFrom || (offset > expected && !source.compacted)) {
      const detail = `offset ${expected} should follow, the log has ${offset}`;
      return upTo({ reason: 'gap', detail });
    }
    const decoded = source.codec.decode(message.value);
    if (decoded.outcome === 'newer') {
      const { name, schemaVersion } = source.codec;
      const detail =
        `offset ${offset} has ${name} schemaVersion ${decoded.schemaVersion}, ` +
        `this process reads up to ${schemaVersion}: deploy a newer version`;
      return upTo({ reason: 'newer', detail });
    }
    if (decoded.outcome === 'broken') {
      const { reason, detail } = decoded;
      const requestId = contextOf(message)?.requestId;
      reading.broken.push({ offset: message.offset, reason, detail, requestId });
      reading.deadLetters.push(
        deadLetterOf({
          held: { topic, partition, source },
          message,
          decoded,
          group,
          deadLetterTopic,
        }),
      );
    } else {
      const span = startSpan?.(topic, message);
      const record: Incoming = {
        source: source.name,
        topic,
        partition,
        offset,
        key: message.key?.toString() ?? '',
        timestampMs: Number(message.timestamp),
        value: decoded.outcome === 'tombstone' ? null : decoded.value,
      };
      if (span) record.span = span;
      reading.records.push(record);
    }
    if (offset >= expected) expected = offset + 1n;
    reading.count += 1;
  }
  return upTo();
}

/**
 * The log goes on behind its last record, also where an earlier one had a higher offset; a position
 * never goes back. A fetch from an offset that is there several times begins with the first of
 * them.
 */
function standingAfter(
  read: readonly kafkajs.KafkaMessage[],
  { next, digest }: Position,
): Advance['to'] {
  const last = BigInt(read.at(-1)?.offset ?? -1);
  if (last < next) return { next, digest };
  const first = read.find(({ offset }) => offset === String(last))!;
  return { next: last + 1n, digest: recordDigest(first.key, first.value) };
}

/**
 * Whether offsets go back, or stay: then all of it is one slice, as no fetch would begin between.
 */
export function goesBack(messages: readonly kafkajs.KafkaMessage[]): boolean {
  return messages.some(
    ({ offset }, i) => i > 0 && Number(offset) <= Number(messages[i - 1]!.offset),
  );
}

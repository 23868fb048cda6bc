import { connect, type Socket } from 'node:net';
import { partitionOf } from '@tributary/event-log/partitioner';
import { countPartitions } from '@tributary/event-log/topic-admin';
import type { KafkaConnection } from '@tributary/event-log/kafka';
import type { KafkaSettings } from '@tributary/runtime/variables';
import { zstd } from '@tributary/event-log/zstd-codec';
import kafkajs, { type SASLOptions } from 'kafkajs';

type Waiting = {
  key: Buffer;
  value: Buffer;
  partition: number;
  answer: (accepted: boolean) => void;
};

/**
 * Gathers as the appender does and writes Produce requests (version 7) of one topic straight to the
 * socket of the only broker: no deadlines, no retries, no metadata, and an acknowledgement is read
 * for its first error only. What a request costs here is what the bytes cost.
 */
export async function createBareAppender(
  kafka: KafkaConnection,
  settings: KafkaSettings,
  topic: string,
) {
  const partitions = await countPartitions(kafka, topic);
  const topicName = Buffer.from(topic);
  const socket = await openConnection(settings);
  const sent = new Map<number, Waiting[]>();
  let waiting: Waiting[] = [];
  let underWay = 0;
  let correlation = 0;
  let timer: NodeJS.Timeout | undefined;
  let unread: Buffer = Buffer.alloc(0);

  socket.on('data', (chunk: Buffer) => {
    unread = unread.length === 0 ? chunk : Buffer.concat([unread, chunk]);
    while (unread.length >= 4 && unread.length >= 4 + unread.readInt32BE(0)) {
      const end = 4 + unread.readInt32BE(0);
      acknowledge(unread.subarray(4, end));
      unread = unread.subarray(end);
    }
  });

  function acknowledge(answer: Buffer): void {
    const records = sent.get(answer.readInt32BE(0)) ?? [];
    sent.delete(answer.readInt32BE(0));
    underWay -= records.length;
    const accepted = isAccepted(answer, topicName.length);
    for (const record of records) record.answer(accepted);
    flush();
  }

  function flush(): void {
    timer = undefined;
    if (waiting.length === 0 || (underWay >= 16 && waiting.length < 64)) return;
    const records = waiting;
    waiting = [];
    underWay += records.length;
    sent.set(++correlation, records);
    socket.write(produceRequest(correlation, topicName, records));
  }

  return (key: string, value: Buffer, answer: Waiting['answer']): void => {
    const partition = partitionOf(topic, key, partitions);
    waiting.push({ key: Buffer.from(key), value, partition, answer });
    timer ??= setTimeout(flush, 2);
  };
}

/** kafkajs connects and authenticates; from then on nothing but this file uses the connection. */
async function openConnection({ brokers, sasl }: KafkaSettings): Promise<Socket> {
  const opened: Socket[] = [];
  const client = new kafkajs.Kafka({
    brokers: [...brokers],
    sasl: sasl as SASLOptions,
    socketFactory({ host, port, onConnect }) {
      const socket = connect({ host, port, noDelay: true }, onConnect);
      opened.push(socket);
      return socket;
    },
  });
  const admin = client.admin();
  await admin.connect();
  await admin.describeCluster();
  return opened.at(-1)!.removeAllListeners('data');
}

function produceRequest(correlation: number, topic: Buffer, records: readonly Waiting[]): Buffer {
  const batches = [...Map.groupBy(records, ({ partition }) => partition)].map(
    ([partition, ofPartition]) => [partition, encodeBatch(ofPartition)] as const,
  );
  const headBytes = 4 + 2 + 2 + 4 + 2 + 2 + 2 + 4 + 4 + 2 + topic.length + 4;
  const bytes = batches.reduce((sum, [, batch]) => sum + 8 + batch.length, headBytes);
  const request = Buffer.allocUnsafe(bytes);
  request.writeInt32BE(bytes - 4, 0);
  request.writeInt16BE(0, 4); // Produce
  request.writeInt16BE(7, 6);
  request.writeInt32BE(correlation, 8);
  request.writeInt16BE(-1, 12); // no client id
  request.writeInt16BE(-1, 14); // no transaction
  request.writeInt16BE(-1, 16); // acks: all
  request.writeInt32BE(4_000, 18);
  request.writeInt32BE(1, 22); // topics
  request.writeInt16BE(topic.length, 26);
  let at = 28 + topic.copy(request, 28);
  at = request.writeInt32BE(batches.length, at);
  for (const [partition, batch] of batches) {
    at = request.writeInt32BE(partition, at);
    at = request.writeInt32BE(batch.length, at);
    at += batch.copy(request, at);
  }
  return request;
}

/** A record batch (magic 2) compressed with zstd. */
function encodeBatch(records: readonly Waiting[]): Buffer {
  const room = records.reduce((sum, { key, value }) => sum + 32 + key.length + value.length, 0);
  const plain = Buffer.allocUnsafe(room);
  let end = 0;
  for (const [offset, { key, value }] of records.entries()) {
    const sizes = sizeOfVarInt(offset) + sizeOfVarInt(key.length) + sizeOfVarInt(value.length);
    end = writeVarInt(plain, end, 3 + sizes + key.length + value.length);
    plain[end++] = 0; // attributes
    end = writeVarInt(plain, end, 0); // timestamp
    end = writeVarInt(plain, end, offset);
    end = writeVarInt(plain, end, key.length);
    end += key.copy(plain, end);
    end = writeVarInt(plain, end, value.length);
    end += value.copy(plain, end);
    plain[end++] = 0; // headers
  }
  const frame = zstd.compress({ buffer: plain.subarray(0, end) });
  const batch = Buffer.alloc(61 + frame.length);
  const now = BigInt(Date.now());
  batch.writeInt32BE(batch.length - 12, 8);
  batch.writeInt8(2, 16);
  batch.writeInt16BE(4, 21); // zstd
  batch.writeInt32BE(records.length - 1, 23);
  batch.writeBigInt64BE(now, 27);
  batch.writeBigInt64BE(now, 35);
  batch.writeBigInt64BE(-1n, 43); // no producer id
  batch.writeInt32BE(records.length, 57);
  frame.copy(batch, 61);
  batch.writeUInt32BE(crc32c(batch.subarray(21)), 17);
  return batch;
}

/** Whether no partition of a Produce response (version 7) of one topic has an error. */
function isAccepted(answer: Buffer, topicBytes: number): boolean {
  let at = 4 + 4 + 2 + topicBytes;
  const partitions = answer.readInt32BE(at);
  at += 4;
  for (let n = 0; n < partitions; n++, at += 30) {
    if (answer.readInt16BE(at + 4) !== 0) return false;
  }
  return true;
}

function sizeOfVarInt(value: number): number {
  let size = 1;
  for (let left = value << 1; left >= 0x80; left >>>= 7) size += 1;
  return size;
}

function writeVarInt(buffer: Buffer, start: number, value: number): number {
  let at = start;
  let left = value << 1;
  for (; left >= 0x80; left >>>= 7) buffer[at++] = (left & 0x7f) | 0x80;
  buffer[at++] = left;
  return at;
}

const table = Int32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  return crc;
});

function crc32c(bytes: Buffer): number {
  let crc = -1;
  for (let n = 0; n < bytes.length; n++) crc = table[(crc ^ bytes[n]!) & 0xff]! ^ (crc >>> 8);
  return ~crc >>> 0;
}

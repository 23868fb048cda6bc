import type { TestServer } from './test-server.ts';

/**
 * Puts other bytes in the place of the records of a partition's last batch (compressed or not), on
 * a Kafka that is down. Length and checksum are made to fit, so that Kafka takes the batch for
 * sound when it recovers its log: only who reads the records finds out.
 */
export async function replaceLastRecords(
  kafka: TestServer,
  { topic, partition }: { topic: string; partition: number },
  replace: (records: Buffer) => Buffer,
): Promise<void> {
  const path = `${topic}-${partition}/00000000000000000000.log`;
  const log = await kafka.readData(path);
  const at = lastBatchAt(log);
  const header = Buffer.from(log.subarray(at, at + recordsAt));
  const records = replace(Buffer.from(log.subarray(at + recordsAt)));
  header.writeInt32BE(recordsAt - lengthEnd + records.length, lengthEnd - 4);
  header.writeUInt32BE(crc32c(Buffer.concat([header.subarray(crcEnd), records])), crcEnd - 4);
  await kafka.writeData(path, Buffer.concat([log.subarray(0, at), header, records]));
}

/** How the last batch of a partition is compressed, by Kafka's number: 0 is not, 4 is zstd. */
export async function lastCompression(
  kafka: TestServer,
  { topic, partition }: { topic: string; partition: number },
): Promise<number> {
  const log = await kafka.readData(`${topic}-${partition}/00000000000000000000.log`);
  return log.readInt16BE(lastBatchAt(log) + crcEnd) & 7;
}

/** A batch begins with its base offset (8 bytes) and the length of what follows (4 bytes). */
function lastBatchAt(log: Buffer): number {
  let last = 0;
  for (let at = 0; at < log.length; at += lengthEnd + log.readInt32BE(at + 8)) last = at;
  return last;
}

/** Behind base offset (8) and length (4). */
const lengthEnd = 12;
/** Behind leader epoch (4), magic (1) and the checksum (4) of all that follows. */
const crcEnd = lengthEnd + 9;
/** Behind attributes (2), last offset (4), two times (16), producer (14) and a count (4). */
const recordsAt = crcEnd + 40;

function crc32c(bytes: Buffer): number {
  let crc = 0xffff_ffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f6_3b78 : 0);
  }
  return (crc ^ 0xffff_ffff) >>> 0;
}

import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import kafkajs from 'kafkajs';

/**
 * Kafka's zstd, which kafkajs knows by name but cannot do: one frame for the records of a batch.
 *
 * Synchronous, as kafkajs' own encoding is: a batch of ours has at most 768 KiB (gather.ts), which
 * is half a millisecond either way, and handing one over to the thread pool costs more than most
 * batches need.
 */
export function registerZstd(): void {
  kafkajs.CompressionCodecs[kafkajs.CompressionTypes.ZSTD] = () => zstd;
}

export const zstd = {
  compress: ({ buffer }: { buffer: Buffer }): Buffer =>
    zstdCompressSync(buffer, { params, chunkSize: roomFor(buffer.length) }),
  decompress: (frame: Buffer): Buffer =>
    zstdDecompressSync(frame, { chunkSize: outputChunkBytes(frame) }),
};

/**
 * Higher levels gain nothing on batches of this size. kafkajs verifies no CRC of a batch, so a
 * frame carries a checksum of its content: one that was damaged is noticed when it is read.
 */
const params = {
  [constants.ZSTD_c_compressionLevel]: 1,
  [constants.ZSTD_c_checksumFlag]: 1,
};

/** A frame is hardly ever larger; Node's usual 16 KiB for each would cost up to a quarter more. */
function roomFor(bytes: number): number {
  return Math.max(constants.Z_MIN_CHUNK, bytes + 64);
}

/**
 * Room for what the frame says that it holds, so that it comes out in one piece and no more memory
 * is taken; Node's usual chunk where it does not say it.
 */
function outputChunkBytes(frame: Buffer): number {
  const bytes = contentBytes(frame);
  // One more, or the last step would ask for another chunk to see that there is nothing left.
  return bytes === undefined || bytes > maxChunkBytes
    ? constants.Z_DEFAULT_CHUNK
    : Math.max(constants.Z_MIN_CHUNK, bytes + 1);
}

/** From the header of a frame in a single segment, as ours are (RFC 8878, 3.1.1.1). */
function contentBytes(frame: Buffer): number | undefined {
  const descriptor = frame[4];
  if (descriptor === undefined || frame.length < 9) return undefined;
  const isSingleSegmentWithoutDictionary = (descriptor & 0b0010_0011) === 0b0010_0000;
  if (!isSingleSegmentWithoutDictionary) return undefined;
  switch (descriptor >> 6) {
    case 0:
      return frame.readUInt8(5);
    case 1:
      return 256 + frame.readUInt16LE(5);
    case 2:
      return frame.readUInt32LE(5);
    default:
      return undefined;
  }
}

/** More than a batch of ours; a damaged header must not make a process take all memory. */
const maxChunkBytes = 4 << 20;

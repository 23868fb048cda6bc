import { createRequire } from 'node:module';
import { zstdDecompressSync } from 'node:zlib';
import { expect } from 'chai';
import fc from 'fast-check';
import kafkajs from 'kafkajs';
import { registerZstd } from './zstd-codec.ts';

// The patch of kafkajs writes a record batch into one buffer. kafkajs' own encoder of a record and
// of a batch, which grows a buffer for each, says what the bytes are.

type Bytes = string | Buffer | null;
type Message = {
  key: Bytes;
  value: Bytes;
  headers?: Record<string, string | string[]>;
  timestamp?: string;
};
type Batch = {
  compression?: number;
  firstTimestamp: number;
  maxTimestamp: number;
  transactional: boolean;
  producerEpoch: number;
  firstSequence: number;
};
type Encoded = { buffer: Buffer };

const require = createRequire(import.meta.url);
const encodeBatch = require('kafkajs/src/protocol/recordBatch/v0/encodeBatch') as (
  batch: Batch & { messages: Message[]; timestampOf: (message: Message) => number | string },
) => Promise<Buffer>;
const Record = require('kafkajs/src/protocol/recordBatch/record/v0') as (
  record: Message & { offsetDelta: number; timestampDelta: number },
) => Encoded;
const { RecordBatch } = require('kafkajs/src/protocol/recordBatch/v0') as {
  RecordBatch: (batch: Batch & { records: Encoded[]; lastOffsetDelta: number }) => Promise<Encoded>;
};

const text = fc.string({ unit: 'binary', maxLength: 40 });
const bytes: fc.Arbitrary<Bytes> = fc.oneof(
  text,
  fc.constant(null),
  fc.constantFrom('', '\ud800', 'é漢😀'.repeat(50), 'a'.repeat(70_000)),
  fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array)),
);
const headers = fc.dictionary(text, fc.oneof(text, fc.array(text, { maxLength: 3 })), {
  maxKeys: 2,
});
const now = 1_764_000_000_123;
const message: fc.Arbitrary<Message> = fc.record(
  {
    key: bytes,
    value: bytes,
    headers,
    timestamp: fc.integer({ min: 0, max: 2 * now }).map(String),
  },
  { requiredKeys: ['key', 'value'] },
);
const batch: fc.Arbitrary<Batch> = fc.record({
  firstTimestamp: fc.integer({ min: 0, max: now }),
  maxTimestamp: fc.integer({ min: 0, max: 2 * now }),
  transactional: fc.boolean(),
  producerEpoch: fc.nat(30_000),
  firstSequence: fc.nat(),
});

const timestampOf = ({ timestamp }: Message) => timestamp ?? now;

function encodeAsBefore(messages: readonly Message[], of: Batch): Promise<Encoded> {
  const records = messages.map((each, offsetDelta) =>
    Record({
      ...each,
      offsetDelta,
      timestampDelta: Number(timestampOf(each)) - of.firstTimestamp,
    }),
  );
  return RecordBatch({ ...of, records, lastOffsetDelta: records.length - 1 });
}

describe('record batches', () => {
  it('are what kafkajs wrote, byte for byte', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(message, { minLength: 1, maxLength: 200 }),
        batch,
        async (messages, of) => {
          const before = await encodeAsBefore(messages, of);
          const written = await encodeBatch({ ...of, messages, timestampOf });
          expect(written.equals(before.buffer)).to.equal(true);
        },
      ),
    );
  });

  it('are the same when compressed', async () => {
    registerZstd();
    const of = { ...{ firstTimestamp: now, maxTimestamp: now, transactional: false } };
    const whole = { ...of, producerEpoch: 0, firstSequence: 0 };
    const compression = kafkajs.CompressionTypes.ZSTD;
    const asked = { ...whole, compression, timestampOf };
    const many = Array.from({ length: 20 }, (_, n) => ({
      key: `k${n}`,
      value: `{"n":${n}}`.repeat(9),
    }));
    const written = await encodeBatch({ ...asked, messages: many });
    const plain = (await encodeAsBefore(many, whole)).buffer;
    expect(written.readInt16BE(21)).to.equal(compression);
    expect(zstdDecompressSync(written.subarray(61)).equals(plain.subarray(61))).to.equal(true);
  });
});

import { randomFillSync } from 'node:crypto';

export type IdSource = {
  /** RFC 9562 version 7. Ids of one process grow, also within a millisecond. */
  uuidv7(atMs?: number): string;
  /** Each character is one of 62, all equally likely: 5.95 bits per character. */
  base62(length: number): string;
};

/**
 * Random bytes come from a pool that is filled 8 KiB at a time: asking the system for 16 bytes per
 * request shows in profiles.
 */
export function createIdSource(): IdSource {
  const takeBytes = createBytePool(8_192);
  let lastMs = 0;
  let sequence = 0;

  /** 12 bits after the time: starts at random below half, then counts up within a millisecond. */
  const nextSequence = (atMs: number): number => {
    if (atMs > lastMs) {
      lastMs = atMs;
      sequence = takeBytes(2).readUInt16BE() & 0x7ff;
    } else if (++sequence > 0xfff) {
      // More than 2,000 ids in this millisecond, or a clock that went back: borrow the next one.
      lastMs += 1;
      sequence = 0;
    }
    return sequence;
  };

  return {
    uuidv7(atMs = Date.now()) {
      const counter = nextSequence(Math.trunc(atMs));
      const random = takeBytes(8);
      const time = lastMs.toString(16).padStart(12, '0');
      const version = (0x7000 | counter).toString(16);
      const variant = ((random[0]! & 0x3f) | 0x80).toString(16);
      const rest = random.toString('hex', 1);
      return `${time.slice(0, 8)}-${time.slice(8)}-${version}-${variant}${rest.slice(0, 2)}-${rest.slice(2)}`;
    },

    base62(length) {
      let text = '';
      while (text.length < length) {
        const value = takeBytes(1)[0]! & 0x3f;
        // 62 and 63 are thrown away: folding them in would make some characters likelier.
        if (value < alphabet.length) text += alphabet[value];
      }
      return text;
    },
  };
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * The bytes given are a view that stays as it is until the pool is next filled: use them at once.
 */
function createBytePool(size: number): (count: number) => Buffer {
  const pool = Buffer.allocUnsafeSlow(size);
  let used = size;
  return (count) => {
    if (used + count > size) {
      randomFillSync(pool);
      used = 0;
    }
    used += count;
    return pool.subarray(used - count, used);
  };
}

/** Whether a request's id has a harmless form: for headers, log lines and columns. */
export function isRequestId(text: unknown): text is string {
  return typeof text === 'string' && requestId.test(text);
}

const requestId = /^[A-Za-z0-9_.:-]{1,128}$/;

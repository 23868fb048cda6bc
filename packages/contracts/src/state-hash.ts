import { hash } from 'node:crypto';

/**
 * Hash of a set of texts that does not depend on their order: the sum of their SHA-256, modulo
 * 2^256, beside their number. Sums of parts add up, so parts may be hashed anywhere.
 */
export type SetHash = {
  add(text: string): void;
  /** The same, of the SHA-256 of a text. */
  addDigest(digest: Buffer): void;
  addHash(other: { count: number; hash: string }): void;
  /** `hash`: 64 hexadecimal digits. */
  value(): { count: number; hash: string };
};

const limbs = 8;

export function createSetHash(): SetHash {
  /** Least significant first, 32 bits each; carried over when read. */
  const sums = new Float64Array(limbs);
  let count = 0;
  let pending = 0;

  function carry(): void {
    let over = 0;
    for (let i = 0; i < limbs; i++) {
      const sum = sums[i]! + over;
      over = Math.floor(sum / 2 ** 32);
      sums[i] = sum - over * 2 ** 32;
    }
    pending = 0;
  }

  function addBytes(bytes: Buffer): void {
    for (let i = 0; i < limbs; i++) sums[i]! += bytes.readUInt32BE((limbs - 1 - i) * 4);
    // 2^21 sums of 32 bits stay exact in 53 bits.
    if (++pending >= 1_000_000) carry();
  }

  return {
    add(text) {
      addBytes(hash('sha256', text, 'buffer'));
      count += 1;
    },
    addDigest(digest) {
      addBytes(digest);
      count += 1;
    },
    addHash(other) {
      addBytes(Buffer.from(other.hash, 'hex'));
      count += other.count;
    },
    value() {
      carry();
      const digits = [...sums]
        .reverse()
        .map((limb) => limb.toString(16).padStart(8, '0'))
        .join('');
      return { count, hash: digits };
    },
  };
}

/**
 * Which of so many shards a key belongs to; the same in every process and release that may share a
 * directory. Keys are `recordKey(tenantId, …)`.
 */
export function shardOf(key: string, shards: number): number {
  return shards === 1 ? 0 : hashPair(key)[0] % shards;
}

/**
 * Two independent 32-bit hashes of a text (cyrb53). Where they stand for the text, a collision must
 * be harmless.
 */
export function hashPair(text: string): [number, number] {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 2654435761);
    b = Math.imul(b ^ unit, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return [a >>> 0, b >>> 0];
}

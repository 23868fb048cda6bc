/**
 * The partition of a key, as the Java client and kafkajs compute it, so any client agrees. Here
 * because kafkajs' own, which counts in objects of 64 bits, costs more than the rest of an append.
 */
export function partitionOf(_topic: string, key: string, partitions: number): number {
  return (murmur2(Buffer.from(key)) & 0x7fffffff) % partitions;
}

/**
 * A key for each of the partitions, in their order; always the same ones for as many partitions.
 */
export function keysOfPartitions(
  topic: string,
  partitions: number,
  keyOf: (n: number) => string,
): string[] {
  const keys = new Map<number, string>();
  for (let n = 0; keys.size < partitions; n++) {
    const partition = partitionOf(topic, keyOf(n), partitions);
    if (!keys.has(partition)) keys.set(partition, keyOf(n));
  }
  return Array.from({ length: partitions }, (_, partition) => keys.get(partition)!);
}

/** MurmurHash2 of 32 bits with the seed of Kafka. */
function murmur2(data: Uint8Array): number {
  const { length } = data;
  const wholeWords = length - (length % 4);
  let hash = seed ^ length;
  for (let i = 0; i < wholeWords; i += 4) {
    let word = data[i]! | (data[i + 1]! << 8) | (data[i + 2]! << 16) | (data[i + 3]! << 24);
    word = Math.imul(word, mix);
    word = Math.imul(word ^ (word >>> 24), mix);
    hash = Math.imul(hash, mix) ^ word;
  }
  if (length > wholeWords) {
    for (let i = length - 1; i >= wholeWords; i--) hash ^= data[i]! << (8 * (i - wholeWords));
    hash = Math.imul(hash, mix);
  }
  hash = Math.imul(hash ^ (hash >>> 13), mix);
  return hash ^ (hash >>> 15);
}

const seed = 0x9747b28c;
const mix = 0x5bd1e995;

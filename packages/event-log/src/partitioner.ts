import kafkajs from 'kafkajs';

const murmur2 = kafkajs.Partitioners.DefaultPartitioner();

/** The partition of a key, as the Java client computes it (murmur2), so any client agrees. */
export function partitionOf(topic: string, key: string, partitions: number): number {
  return murmur2({
    topic,
    partitionMetadata: metadataOf(partitions),
    message: { key, value: null },
  });
}

/** A key for each of the partitions, in their order; always the same ones for as many partitions. */
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

const metadataByCount = new Map<number, kafkajs.PartitionMetadata[]>();

/** With a key, only the number of partitions counts; the rest of the metadata is filler. */
function metadataOf(partitions: number): kafkajs.PartitionMetadata[] {
  let metadata = metadataByCount.get(partitions);
  if (!metadata) {
    metadata = Array.from({ length: partitions }, (_, partitionId) => ({
      partitionErrorCode: 0,
      partitionId,
      leader: 0,
      replicas: [],
      isr: [],
    }));
    metadataByCount.set(partitions, metadata);
  }
  return metadata;
}

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

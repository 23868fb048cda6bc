import kafkajs from 'kafkajs';

/**
 * Gives partition n of every topic to the same member, so that what several topics say of one key
 * is read by one process. kafkajs' round robin goes on counting from topic to topic, in the order
 * in which a broker lists the partitions.
 *
 * It is offered beside round robin: while members of an earlier release are in the group, all go by
 * that.
 */
export const assignSamePartitions: kafkajs.PartitionAssigner = ({ cluster }) => ({
  name: 'SamePartitionsAssigner',
  version: 0,

  assign({ members, topics }) {
    const partitionsOf = new Map(
      topics.map((topic) => [
        topic,
        cluster.findTopicPartitionMetadata(topic).map(({ partitionId }) => partitionId),
      ]),
    );
    const memberIds = members.map(({ memberId }) => memberId).sort();
    return Promise.resolve(
      memberIds.map((memberId, i) => ({
        memberId,
        memberAssignment: kafkajs.AssignerProtocol.MemberAssignment.encode({
          version: 0,
          assignment: shareOf(partitionsOf, (partition) => partition % memberIds.length === i),
          userData: Buffer.alloc(0),
        }),
      })),
    );
  },

  protocol({ topics }) {
    const metadata = { version: 0, topics, userData: Buffer.alloc(0) };
    return {
      name: 'SamePartitionsAssigner',
      metadata: kafkajs.AssignerProtocol.MemberMetadata.encode(metadata),
    };
  },
});

/** A topic of which there is nothing to read is left out, as kafkajs does. */
function shareOf(
  partitionsOf: ReadonlyMap<string, readonly number[]>,
  isOurs: (partition: number) => boolean,
): Record<string, number[]> {
  const shares = [...partitionsOf].map(([topic, partitions]) => [
    topic,
    partitions.filter(isOurs).sort((a, b) => a - b),
  ]);
  return Object.fromEntries(shares.filter(([, partitions]) => partitions!.length > 0)) as Record<
    string,
    number[]
  >;
}

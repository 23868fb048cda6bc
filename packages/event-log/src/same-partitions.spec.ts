import { expect } from 'chai';
import kafkajs from 'kafkajs';
import { assignSamePartitions } from './same-partitions.ts';

/** What each member is given, as kafkajs decodes it. */
async function assign(memberIds: readonly string[], topics: Record<string, readonly number[]>) {
  const cluster = {
    findTopicPartitionMetadata: (topic: string) =>
      topics[topic]!.map((partitionId) => ({ partitionId })),
  };
  const given = { cluster, groupId: 'g' } as unknown as Parameters<kafkajs.PartitionAssigner>[0];
  const members = memberIds.map((memberId) => ({ memberId, memberMetadata: Buffer.alloc(0) }));
  const assigned = await assignSamePartitions(given).assign({
    members,
    topics: Object.keys(topics),
  });
  return assigned.map(({ memberId, memberAssignment }) => [
    memberId,
    { ...kafkajs.AssignerProtocol.MemberAssignment.decode(memberAssignment)!.assignment },
  ]);
}

describe('the assignment of partitions', () => {
  it('gives a number of every topic to the same member, whatever the order a broker lists', async () => {
    const topics = { one: [4, 0, 1, 3, 2], other: [0], third: [2, 1, 4, 3, 0] };
    expect(await assign(['b', 'a'], topics)).to.deep.equal([
      ['a', { one: [0, 2, 4], other: [0], third: [0, 2, 4] }],
      ['b', { one: [1, 3], third: [1, 3] }],
    ]);
  });

  it('gives each partition to one member, and nothing to a member too many', async () => {
    expect(await assign(['a', 'b', 'c'], { one: [1, 0] })).to.deep.equal([
      ['a', { one: [0] }],
      ['b', { one: [1] }],
      ['c', {}],
    ]);
  });
});

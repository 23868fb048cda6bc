import { defaultPartitions } from '@tributary/contracts/topics';
import { getServers } from '@tributary/testkit/servers';
import { uniquePrefix } from '@tributary/testkit/topics';
import { expect } from 'chai';
import { connectTo, silentLogger } from './testing.ts';
import {
  checkTopics,
  createTopics,
  readPartitionCounts,
  topicSpecs,
  TopicsUnfit,
} from './topic-admin.ts';

describe('topic admin', () => {
  const wiring = { generation: 1, replication: 1, minInsync: 1 };

  it('creates all topics of a deployment with 12 partitions, and again without a change', async () => {
    const kafka = connectTo((await getServers()).kafkaBrokers);
    const topics = topicSpecs({ ...wiring, prefix: uniquePrefix() });
    await createTopics({ kafka, topics, logger: silentLogger });
    await createTopics({ kafka, topics, logger: silentLogger });
    await checkTopics({ kafka, topics });
  });

  it('takes any number of partitions: a deployment chooses its own', async () => {
    const kafka = connectTo((await getServers()).kafkaBrokers);
    const counts = { ...defaultPartitions, events: 3, codes: 1 };
    const given = { ...wiring, prefix: uniquePrefix(), partitions: counts };
    const topics = topicSpecs(given, ['events', 'codes']);
    await createTopics({ kafka, topics, logger: silentLogger });
    await checkTopics({
      kafka,
      topics: topicSpecs({ ...wiring, prefix: given.prefix }, ['events']),
    });
    const names = topics.map(({ topic }) => topic);
    const found = await readPartitionCounts(kafka, [...names, 'is-not-there']);
    expect([...found].sort()).to.deep.equal(
      [
        [names[1], 1],
        [names[0], 3],
      ].sort(),
    );
  });

  it('refuses a missing topic by name', async () => {
    const kafka = connectTo((await getServers()).kafkaBrokers);
    const topics = topicSpecs({ ...wiring, prefix: uniquePrefix() }, ['events']);
    const error = await checkTopics({ kafka, topics }).catch((e: unknown) => e);
    expect(error).to.be.instanceOf(TopicsUnfit);
    expect((error as Error).message).to.include(`${topics[0]!.topic} does not exist`);
  });

  it('refuses a topic that would forget, naming setting, expected and found (design 3)', async () => {
    const kafka = connectTo((await getServers()).kafkaBrokers);
    const [events] = topicSpecs({ ...wiring, prefix: uniquePrefix() }, ['events']);
    const forgetful = { ...events!, settings: { 'retention.ms': '60000' } };
    await createTopics({ kafka, topics: [forgetful], logger: silentLogger });
    const error = await checkTopics({ kafka, topics: [events!] }).catch((e: unknown) => e);
    expect((error as Error).message).to.include('retention.ms=-1 expected, found 60000');
  });

  it('refuses a topic that may elect a leader without what was acknowledged (design 3)', async () => {
    const kafka = connectTo((await getServers()).kafkaBrokers);
    const [events] = topicSpecs({ ...wiring, prefix: uniquePrefix() }, ['events']);
    const settings = { ...events!.settings, 'unclean.leader.election.enable': 'true' };
    await createTopics({ kafka, topics: [{ ...events!, settings }], logger: silentLogger });
    const error = await checkTopics({ kafka, topics: [events!] }).catch((e: unknown) => e);
    expect(error).to.be.instanceOf(TopicsUnfit);
    expect((error as TopicsUnfit).mistakes).to.deep.equal([
      `topic ${events!.topic}: unclean.leader.election.enable=false expected, found true`,
    ]);
  });
});

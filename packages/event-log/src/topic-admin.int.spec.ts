import { getServers } from '@tributary/testkit/servers';
import { uniquePrefix } from '@tributary/testkit/topics';
import { expect } from 'chai';
import { connectTo, silentLogger } from './testing.ts';
import { checkTopics, createTopics, topicSpecs, TopicsUnfit } from './topic-admin.ts';

describe('topic admin', () => {
  const wiring = { generation: 1, replication: 1, minInsync: 1 };

  it('creates all topics of a deployment with 12 partitions, and again without a change', async () => {
    const kafka = connectTo((await getServers()).kafkaBrokers);
    const topics = topicSpecs({ ...wiring, prefix: uniquePrefix() });
    await createTopics({ kafka, topics, logger: silentLogger });
    await createTopics({ kafka, topics, logger: silentLogger });
    await checkTopics({ kafka, topics });
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
    const forgetful = { ...events!, partitions: 3, settings: { 'retention.ms': '60000' } };
    await createTopics({ kafka, topics: [forgetful], logger: silentLogger });
    const error = await checkTopics({ kafka, topics: [events!] }).catch((e: unknown) => e);
    expect((error as Error).message)
      .to.include('retention.ms=-1 expected, found 60000')
      .and.include('at least 12 partitions expected, found 3');
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

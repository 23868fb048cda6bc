import { listTopics } from './topic-admin.ts';
import { eventually } from '@tributary/testkit/eventually';
import { getServers } from '@tributary/testkit/servers';
import { uniquePrefix } from '@tributary/testkit/topics';
import { expect } from 'chai';
import type { KafkaConnection } from './kafka.ts';
import { countMembers, deleteGroups, deleteTopics } from './remove-from-brokers.ts';
import { connectTo, makeTopics, plainTopic } from './testing.ts';

describe('removal from the brokers', () => {
  const prefix = uniquePrefix();
  const [one, two] = [`${prefix}one`, `${prefix}two`];
  let kafka: KafkaConnection;
  before(async () => {
    kafka = connectTo((await getServers()).kafkaBrokers);
  });

  it('takes topics away, passes over those that are not there, and leaves all others', async () => {
    await makeTopics(kafka, plainTopic(one), plainTopic(two));
    await deleteTopics(kafka, [one, `${prefix}never-was`]);
    expect(await ofPrefix()).to.deep.equal([two]);
    await Promise.all([deleteTopics(kafka, [one, two]), deleteTopics(kafka, [two])]);
    expect(await ofPrefix()).to.deep.equal([]);
  });

  it('refuses a group with members, and removes it when they are gone', async () => {
    await makeTopics(kafka, plainTopic(one));
    const group = `${prefix}group`;
    const consumer = kafka.client.consumer({ groupId: group });
    await consumer.connect();
    await consumer.subscribe({ topics: [one] });
    await consumer.run({ eachMessage: () => Promise.resolve() });
    await eventually(async () => {
      expect(await countMembers(kafka, [group])).to.deep.equal(new Map([[group, 1]]));
    });
    const refused = await deleteGroups(kafka, [group]).catch((error: Error) => error.message);
    expect(refused).to.contain(group);
    await consumer.disconnect();
    await eventually(() => deleteGroups(kafka, [group, `${prefix}never-was`]));
    expect((await countMembers(kafka, [group])).get(group)).to.equal(0);
    await deleteGroups(kafka, [group]);
    await deleteTopics(kafka, [one]);
  });

  async function ofPrefix(): Promise<string[]> {
    return (await listTopics(kafka)).filter((topic) => topic.startsWith(prefix));
  }
});

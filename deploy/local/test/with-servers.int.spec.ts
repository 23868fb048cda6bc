import { connectTo, makeTopics, plainTopic } from '@tributary/event-log/testing';
import { listTopics } from '@tributary/event-log/topic-admin';
import { getServers } from '@tributary/testkit/servers';
import { uniquePrefix } from '@tributary/testkit/topics';
import { expect } from 'chai';
import { removeTopics } from './with-servers.ts';

describe('the topics of a process that has ended', () => {
  it('are those whose names begin as it was told, and go; all others stay', async () => {
    const kafka = connectTo((await getServers()).kafkaBrokers);
    const [mine, other] = [uniquePrefix(), uniquePrefix()];
    const names = [`${mine}a`, `${mine}b`, `${other}a`];
    await makeTopics(kafka, ...names.map((name) => plainTopic(name)));
    await removeTopics(kafka, mine);
    const left = await listTopics(kafka);
    expect(names.filter((name) => left.includes(name))).to.deep.equal([`${other}a`]);
    await removeTopics(kafka, mine);
    expect(await listTopics(kafka)).to.include(`${other}a`);
  });

  it('begin as the test runner says', () => {
    const start = process.env['TRIBUTARY_TEST_TOPICS'] ?? 't';
    expect(uniquePrefix().startsWith(start)).to.equal(true);
    expect(uniquePrefix()).to.match(/^t[0-9a-f]{10,}\.$/);
  });
});

import { connectTo, makeTopics, plainTopic } from '@tributary/event-log/testing';
import { listTopics } from '@tributary/event-log/topic-admin';
import { getServers, type Servers } from '@tributary/testkit/servers';
import { uniquePrefix } from '@tributary/testkit/topics';
import { expect } from 'chai';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withServers } from './with-servers.ts';

describe('the servers of a stage', () => {
  let temp: string;

  before(async () => void (temp = await mkdtemp(join(tmpdir(), 'tributary-with-servers-'))));
  after(() => rm(temp, { recursive: true, force: true }));

  it('are told to its processes, and lose the topics of one that has ended', async () => {
    const context = {
      ...{ root: process.cwd(), temp, env: {}, lingerMs: 0, write: () => undefined },
      signal: new AbortController().signal,
    };
    const [mine, other] = [uniquePrefix(), uniquePrefix()];
    await withServers(context, async ({ env, onEnd }) => {
      const told = JSON.parse(await readFile(env['TRIBUTARY_TEST_SERVERS']!, 'utf8')) as Servers;
      expect(told).to.deep.equal(await getServers());
      const kafka = connectTo(told.kafkaBrokers);
      await makeTopics(
        kafka,
        plainTopic(`${mine}a`),
        plainTopic(`${mine}b`),
        plainTopic(`${other}a`),
      );
      await onEnd?.(mine);
      const left = (await listTopics(kafka)).filter((topic) => /^t[0-9a-f]+\.[ab]$/.test(topic));
      expect(left)
        .to.include(`${other}a`)
        .and.not.include.members([`${mine}a`]);
      expect(left).to.not.include(`${mine}b`);
    });
  });
});

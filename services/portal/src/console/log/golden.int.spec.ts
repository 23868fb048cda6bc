import { codecOfTopic } from '@tributary/contracts/codec-of-topic';
import { type Topic, topicName } from '@tributary/contracts/topics';
import type { ReadModelWorld } from '@tributary/generations/testing/read-model-world';
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { createReadModelWorld } from '../../testing/read-model-world.ts';
import { listDeadLetters } from '../db/queries/dead-letters.ts';
import { type TopicRead, topicsRead } from './sources.ts';

describe('read model: records of every version', function () {
  this.timeout(60_000);
  let world: ReadModelWorld;
  before(async () => {
    world = await createReadModelWorld();
  });
  after(() => world.end());

  it('takes the golden records of all topics as they were written, and puts none aside', async () => {
    for (const topic of topicsRead) await world.publish(goldenOf(topic));
    const model = await world.start();
    await model.caughtUp();
    expect(model.health()).to.deep.equal({ ok: true });
    const { items } = await listDeadLetters(model.pool, {}, { limit: 100, after: undefined });
    // Those that the golden dead letters are about, and no other.
    const topics = items.map(({ origin }) => origin.topic);
    const named = (topic: Topic, generation = 1) => topicName(topic, { prefix: '', generation });
    expect(topics).to.have.members([named('events'), named('people'), named('attributions', 2)]);
    expect(items.map(({ status }) => status)).to.have.members(['redriven', 'discarded', 'open']);
    expect(await model.dump()).to.match(/^event /m);
  });
});

function goldenOf(topic: TopicRead) {
  const { name, schemaVersion } = codecOfTopic[topic];
  const versions = Array.from({ length: schemaVersion }, (_, i) => i + 1);
  return versions.flatMap((version) => {
    const file = `../../../../../packages/contracts/golden/${name}.v${version}.json`;
    const text = readFileSync(new URL(file, import.meta.url), 'utf8');
    return (JSON.parse(text) as object[]).map((record) => {
      const value = JSON.stringify(record);
      return { topic, key: 'acme:golden', value, decoded: record };
    });
  });
}

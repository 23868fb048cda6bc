import { codecOfTopic } from '@tributary/contracts/codec-of-topic';
import { topicName } from '@tributary/contracts/topics';
import { startPatientAppender } from '@tributary/event-log/testing/patient-appender';
import { connectTo, silentLogger } from '@tributary/event-log/testing';
import { createTopics, topicSpecs } from '@tributary/event-log/topic-admin';
import { hostReadModels } from '@tributary/generations/host-read-models';
import type { ReadModel } from '@tributary/generations/start-read-model';
import { compose } from '@tributary/runtime/component';
import { addGeneration, flipLive } from '@tributary/generations/registry';
import type { OnLog } from '@tributary/generations/testing/read-model-world';
import { createPool, inTransaction } from '@tributary/runtime/postgres';
import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { getServers } from '@tributary/testkit/servers';
import { uniquePrefix } from '@tributary/testkit/topics';
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import type pg from 'pg';
import { readUserView, type UserView } from '../db/queries/user-view.ts';
import { tenantId } from '../testing/log-records.ts';
import { story, storyOfAda } from '../testing/story.ts';
import { createWidgetWorld } from '../testing/widget-world.ts';
import { readModelPlan } from './plan.ts';
import { type TopicRead, topicsRead } from './sources.ts';

const deadline = { deadlineMs: 60_000 };

describe('widget read model: from the topics', function () {
  this.timeout(120_000);

  it('goes on after a restart, and is rebuilt the same from the first record', async () => {
    const world = await createWidgetWorld();
    try {
      const published = [...topicsRead].reverse().flatMap((topic) => storyOf(topic));
      const half = Math.floor(published.length / 2);
      const first = await world.start();
      await world.publish(published.slice(0, half));
      await first.caughtUp();
      await first.stop();

      await world.publish([...published.slice(half), ...published.slice(half)]);
      const second = await world.start();
      await second.caughtUp();
      expect(second.health()).to.deep.equal({ ok: true });
      expect(await readUserView(second.pool, tenantId, 'ada')).to.deep.equal(storyOfAda);

      const rebuilt = await world.start('again');
      await rebuilt.caughtUp();
      expect(await rebuilt.dump()).to.equal(await second.dump());
    } finally {
      await world.end();
    }
  });

  it('knows of each reward of an earlier release whether it is reviewed, and of each release', async () => {
    const world = await createWidgetWorld();
    try {
      await world.publish(story());
      const before = await world.start();
      await before.caughtUp();
      await before.pool.query(`
        delete from migration_read_model where name > '0002';
        alter table reward drop column reviewed;
        drop table reward_action;
        delete from projection_position where topic like '%issuances';`);
      await before.stop();

      const after = await world.start();
      await after.caughtUp();
      expect(await readUserView(after.pool, tenantId, 'ada')).to.deep.equal(storyOfAda);
      const rebuilt = await world.start('again');
      await rebuilt.caughtUp();
      expect(await rebuilt.dump()).to.equal(await after.dump());

      // A process of that release, still there for a moment, would write what it does not know.
      const write = `insert into reward (reward_id, tenant_id, version, campaign_id, recipient_id,
        state, entitled, issued) values (gen_random_uuid(), 'acme', 1, 'c', 'ada', 'issued', 2, 1)`;
      const refused = await after.pool.query(write).then(
        () => 'written',
        (error: { constraint?: string }) => error.constraint,
      );
      expect(refused).to.equal('reward_reviewed');
    } finally {
      await world.end();
    }
  });

  it('takes the golden records of every version as they were written, and puts none aside', async () => {
    const world = await createWidgetWorld();
    try {
      for (const topic of topicsRead) await world.publish(goldenOf(topic));
      const model = await world.start();
      await model.caughtUp();
      expect(model.health()).to.deep.equal({ ok: true });
      const { rows } = await model.pool.query<{ count: string }>(
        'select count(*) as count from outbox',
      );
      expect(rows[0]?.count).to.equal('0');
      for (const table of ['code', 'decision', 'reward', 'reward_action', 'person']) {
        const { rows: found } = await model.pool.query(`select from ${table}`);
        expect(found, table).to.not.have.length(0);
      }
    } finally {
      await world.end();
    }
  });
});

describe('widget read model: generations', function () {
  this.timeout(120_000);
  const stops: (() => Promise<void> | void)[] = [];
  const onStop = (_name: string, stop: () => Promise<void> | void) => void stops.push(stop);
  const life = { logger: silentLogger, onStop, ...compose({ onStop }) };
  const wiring = { prefix: uniquePrefix(), generation: 1, replication: 1, minInsync: 1 };
  let database: TestDatabase;
  let registry: pg.Pool;
  let model: ReadModel;
  let publish: (records: readonly OnLog[], generation: number) => Promise<void>;

  before(async () => {
    const { kafkaBrokers } = await getServers();
    database = await createDatabase();
    const kafka = connectTo(kafkaBrokers);
    for (const generation of [1, 2]) {
      const topics = topicSpecs({ ...wiring, generation });
      await createTopics({ kafka, topics, logger: silentLogger });
    }
    const appender = await startPatientAppender(kafka);
    life.onStop('appender', () => appender.stop());
    publish = async (records, generation) => {
      for (const { topic, key, value } of records) {
        const name = topicName(topic, { ...wiring, generation });
        await appender.append([{ topic: name, key, value }]);
      }
    };
    const postgres = { url: database.url, schema: 'widget', poolSize: 5 };
    const generationsSchema = 'generations';
    const group = `${wiring.prefix}widget`;
    const settings = { postgres, group, generationsSchema, topics: wiring };
    model = await hostReadModels(settings, {
      ...life,
      service: 'widget',
      plan: readModelPlan,
      kafka,
      appender,
    });
    registry = createPool(
      { ...postgres, schema: generationsSchema, poolSize: 2 },
      { applicationName: 'test', logger: silentLogger },
    );
  });
  after(async () => {
    await registry.end();
    for (const stop of stops.splice(0).reverse()) await stop();
    await database.drop();
  });

  const view = (): Promise<UserView> => readUserView(model.pool, tenantId, 'ada');
  const shows = (expected: unknown) =>
    eventually(async () => expect(await view()).to.deep.equal(expected), deadline);
  const derived: TopicRead[] = ['attributions', 'rewards'];
  const withoutFolds = {
    ...storyOfAda,
    referrals: {
      total: 0,
      byState: { 'signed-up': 0, 'demo-attended': 0, purchased: 0, refunded: 0 },
      latest: [],
    },
    credits: { earned: '0', held: '0', toOffset: '0', issued: '0' },
  };

  it('answer from the live one, and after a swap from the new live one', async () => {
    const facts = topicsRead.filter((topic) => !derived.includes(topic));
    await publish(facts.flatMap(storyOf), 1);
    await addGeneration(registry, { number: 2, foldVersion: 2 });
    await publish(derived.flatMap(storyOf), 2);
    await shows(withoutFolds);
    await eventually(async () => {
      const { rows } = await registry.query('select from widget_g2.reward');
      expect(rows).to.have.length(5);
    }, deadline);
    expect(await view()).to.deep.equal(withoutFolds);

    await flip(1, 2);
    await shows(storyOfAda);
    await flip(2, 1);
    await shows(withoutFolds);
  });

  it('rebuild a schema that was dropped under them', async () => {
    await flip(1, 2);
    await shows(storyOfAda);
    await registry.query('drop schema widget_g2 cascade');
    await shows(storyOfAda);
    await eventually(() => expect(model.health()).to.deep.equal({ ok: true }), deadline);
    await eventually(() => expect(model.freshness.behind()).to.equal(0), deadline);
  });

  function flip(from: number, to: number): Promise<void> {
    return inTransaction(registry, async (tx) => {
      expect(await flipLive(tx, { from, to })).to.equal(true);
    });
  }
});

function storyOf(topic: TopicRead): OnLog[] {
  return story().filter((record) => record.topic === topic);
}

function goldenOf(topic: TopicRead): OnLog[] {
  const { name, schemaVersion } = codecOfTopic[topic];
  const versions = Array.from({ length: schemaVersion }, (_, i) => i + 1);
  return versions.flatMap((version) => {
    const file = `../../../../packages/contracts/golden/${name}.v${version}.json`;
    const text = readFileSync(new URL(file, import.meta.url), 'utf8');
    const records = JSON.parse(text) as object[];
    return records.map((record) => ({
      topic,
      key: 'acme:golden',
      value: JSON.stringify(record),
    }));
  });
}

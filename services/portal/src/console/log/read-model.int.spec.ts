import { createPool, inTransaction, type Tx } from '@tributary/runtime/postgres';
import { migrate } from '@tributary/runtime/migrate';
import { silentLogger } from '@tributary/event-log/testing';
import type { Incoming } from '@tributary/event-log/projection';
import type { ReadModelWorld } from '@tributary/generations/testing/read-model-world';
import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { expect } from 'chai';
import fc from 'fast-check';
import type pg from 'pg';
import { fileURLToPath } from 'node:url';
import { createReadModelWorld, dumpReadModel } from '../../testing/read-model-world.ts';
import {
  erasureOf,
  onLog,
  type OnLog,
  personOf,
  receivedAt,
  scenario,
  tenantId,
} from '../../testing/scenario.ts';
import { applyBatch } from './apply-batch.ts';
import { findPeople } from '../db/queries/lookups.ts';
import { type TopicRead, topicsRead } from './sources.ts';

describe('read model: the tables', () => {
  const schema = 'read_model';
  let database: TestDatabase;
  let pool: pg.Pool;
  before(async () => {
    database = await createDatabase();
    const settings = { url: database.url, schema, poolSize: 4 };
    const dir = fileURLToPath(new URL('../../../migrations/read-model', import.meta.url));
    await migrate({ settings, schema, sets: [{ dir, table: 'migration' }], logger: silentLogger });
    pool = createPool(settings, { applicationName: 'test', logger: silentLogger });
  });
  after(async () => {
    await pool.end();
    await database.drop();
  });
  beforeEach(clear);

  it('are the same whatever order topics and records come in, in whatever batches, repeated or not', async () => {
    const { records } = scenario();
    await apply(records.map((record) => [record]));
    const expected = await dumpReadModel(database.url, schema);
    expect(expected).to.contain('cara@example.com').and.to.not.contain('erik@example.com');

    await fc.assert(
      fc.asyncProperty(arrivals(records), anyOrder(records), async (slices, sent) => {
        await clear();
        await apply(slices.map(({ topic, from, to }) => ofTopic(sent, topic).slice(from, to)));
        expect(await dumpReadModel(database.url, schema)).to.equal(expected);
      }),
      { numRuns: 60 },
    );
  });

  it('keep no e-mail and name that were received before an erasure, in either order', async () => {
    const before = onLog.person(personOf('erik', { receivedAt: receivedAt(3) }));
    const later = onLog.person(personOf('erik', { receivedAt: receivedAt(60), name: 'Erik Anew' }));
    const erasure = onLog.catalog(erasureOf('erik', receivedAt(50)));
    for (const order of [
      [before, erasure],
      [erasure, before],
    ]) {
      await clear();
      await apply(order.map((record) => [record]));
      expect(await findPeople(pool, tenantId, ['erik'])).to.deep.equal([]);
      await apply([[later], [before], [erasure]]);
      expect(await findPeople(pool, tenantId, ['erik'])).to.deep.equal([
        { userId: 'erik', name: 'Erik Anew', email: 'erik@example.com' },
      ]);
    }
  });

  it('forget a person at a tombstone', async () => {
    await apply([[onLog.person(personOf('erik'))], [onLog.tombstone('erik')]]);
    expect(await findPeople(pool, tenantId, ['erik'])).to.deep.equal([]);
    await apply([[onLog.person(personOf('cara')), onLog.tombstone('cara')]]);
    expect(await findPeople(pool, tenantId, ['cara'])).to.deep.equal([]);
  });

  it('are written by a number of statements that does not depend on the batch', async () => {
    const { records } = scenario();
    const told = new Set(records.map(({ topic }) => topic));
    for (const topic of told) {
      const some = records.filter((record) => record.topic === topic);
      // Copies come: what is not current has a statement of its own.
      const one = [...some, ...some];
      const counts = [];
      for (const batch of [one, [...one, ...one, ...one]]) {
        let statements = 0;
        await inTransaction(pool, async (tx) => {
          const counting = Object.assign(Object.create(tx) as Tx, {
            query(...statement: Parameters<Tx['query']>) {
              statements += 1;
              return tx.query(...statement);
            },
          });
          await applyBatch(counting, batch.map(toIncoming));
        });
        counts.push(statements);
      }
      expect(counts[0], topic).to.equal(counts[1]).and.to.be.within(2, 5);
    }
  });

  async function clear(): Promise<void> {
    await pool.query(`truncate event, decision, undecided, reward, issuance, reward_action, delivery, delivery_action,
      code_change, campaign_revision, decision_version, reward_version, access_key_use, person,
      dead_letter, dead_letter_reader, dead_letter_action, class, day_tally`);
  }

  async function apply(batches: readonly (readonly OnLog[])[]): Promise<void> {
    for (const batch of batches.filter(({ length }) => length > 0)) {
      await inTransaction(pool, (tx) => applyBatch(tx, batch.map(toIncoming)));
    }
  }
});

/** Some records of one topic, by their places in it. */
type Slice = { topic: TopicRead; from: number; to: number };

/**
 * What Kafka may do with the topics: each in the order it has there, cut into batches anywhere,
 * from time to time again from an earlier place, and mixed with the others in any way.
 */
function arrivals(records: readonly OnLog[]): fc.Arbitrary<Slice[]> {
  const queues = topicsRead.map((topic) => {
    const { length } = ofTopic(records, topic);
    const places = (maxLength: number) => fc.array(fc.nat({ max: length }), { maxLength });
    return fc.tuple(places(3), places(2)).map(([cuts, again]) => {
      const ends = [...new Set([...cuts, length])].sort((a, b) => a - b);
      const slices = ends.map((to, i) => ({ topic, from: ends[i - 1] ?? 0, to }));
      return [...slices, ...again.map((from) => ({ topic, from, to: length }))];
    });
  });
  const choices = fc.array(fc.nat(), { minLength: 60, maxLength: 60 });
  return fc.tuple(fc.tuple(...queues), choices).map(([waiting, choice]) => {
    const left = waiting.map((slices) => [...slices]);
    const mixed: Slice[] = [];
    for (let i = 0; left.some(({ length }) => length > 0); i += 1) {
      const open = left.filter(({ length }) => length > 0);
      mixed.push(open[choice[i % choice.length]! % open.length]!.shift()!);
    }
    return mixed;
  });
}

/**
 * Processes do not wait for each other when they send what they have committed (decision 34). What
 * is told by its place on the log keeps it: the last record of a person, the first of who put a
 * record aside.
 */
function anyOrder(records: readonly OnLog[]): fc.Arbitrary<OnLog[]> {
  const isKept = ({ topic }: OnLog) => topic === 'people' || topic === 'deadLetters';
  const kept = records.filter(isKept);
  const others = records.filter((record) => !isKept(record));
  return fc
    .tuple(fc.shuffledSubarray(others, { minLength: others.length }), fc.boolean())
    .map(([shuffled, keptFirst]) => (keptFirst ? [...kept, ...shuffled] : [...shuffled, ...kept]));
}

function ofTopic(records: readonly OnLog[], topic: TopicRead): OnLog[] {
  return records.filter((record) => record.topic === topic);
}

function toIncoming({ topic, key, decoded }: OnLog): Incoming {
  const place = { source: topic, topic, partition: 0, offset: 0n, timestampMs: 1_772_000_000_000 };
  return { ...place, key, value: decoded };
}

describe('read model: from the topics', () => {
  let world: ReadModelWorld;
  before(async () => {
    world = await createReadModelWorld();
  });
  after(() => world.end());

  it('reads all topics, goes on after a restart, and is rebuilt from the first record', async () => {
    const { records } = scenario();
    const backwards = [...topicsRead].reverse();
    const published = backwards.flatMap((topic) => records.filter((one) => one.topic === topic));
    const half = Math.floor(published.length / 2);

    const first = await world.start();
    await world.publish(published.slice(0, half));
    await first.caughtUp();
    expect(first.health()).to.deep.equal({ ok: true });
    await first.stop();

    await world.publish([...published.slice(half), ...published.slice(half)]);
    const second = await world.start();
    await second.caughtUp();
    const found = await second.dump();
    expect(found.match(/^event /gm)).to.have.length(5);
    expect(found).to.contain('"state":"issued"').and.to.contain('Cara Example');

    const rebuilt = await world.start('portal_read_again');
    await rebuilt.caughtUp();
    expect(await rebuilt.dump()).to.equal(found);
  });

  it('says up to when an answer is complete', async () => {
    const model = await world.start();
    await model.caughtUp();
    const before = Date.now();
    await world.publish([onLog.person(personOf('late'))]);
    await model.caughtUp();
    expect(model.freshness.asOf()?.getTime()).to.be.at.least(before);
    expect(model.freshness.behind()).to.equal(0);
    expect(await findPeople(model.pool, tenantId, ['late'])).to.have.length(1);
  });
});

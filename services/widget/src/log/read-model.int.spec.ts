import type { CodeRecord } from '@tributary/contracts/code-record';
import type { Incoming } from '@tributary/event-log/projection';
import { eventLogMigrations } from '@tributary/event-log/migrations';
import { silentLogger } from '@tributary/event-log/testing';
import { dumpTables } from '@tributary/generations/testing/read-model-world';
import { migrate } from '@tributary/runtime/migrate';
import { createPool, inTransaction, type Tx } from '@tributary/runtime/postgres';
import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { expect } from 'chai';
import fc from 'fast-check';
import type pg from 'pg';
import { personOf } from '../db/queries/people.ts';
import { readUserView } from '../db/queries/user-view.ts';
import * as recorded from '../testing/log-records.ts';
import { minute, onLog, type OnLog, tenantId } from '../testing/log-records.ts';
import { story, storyOfAda } from '../testing/story.ts';
import { tables } from '../testing/widget-world.ts';
import { applyBatch } from './apply-batch.ts';
import { readModelPlan } from './plan.ts';
import { type TopicRead, topicsRead } from './sources.ts';

describe('widget read model: the tables', () => {
  const schema = 'widget';
  let database: TestDatabase;
  let pool: pg.Pool;
  before(async () => {
    database = await createDatabase();
    const settings = { url: database.url, schema, poolSize: 4 };
    const sets = [eventLogMigrations, readModelPlan.migrations];
    await migrate({ settings, schema, sets, logger: silentLogger });
    pool = createPool(settings, { applicationName: 'test', logger: silentLogger });
  });
  after(async () => {
    await pool.end();
    await database.drop();
  });
  beforeEach(clear);

  it('are the same whatever order topics and records come in, in whatever batches, repeated or not', async () => {
    const records = story();
    await apply(records.map((record) => [record]));
    const expected = await dumpTables(database.url, schema, tables);
    expect(await readUserView(pool, tenantId, 'ada')).to.deep.equal(storyOfAda);

    await fc.assert(
      fc.asyncProperty(arrivals(records), anyOrder(records), async (slices, sent) => {
        await clear();
        await apply(slices.map(({ topic, from, to }) => ofTopic(sent, topic).slice(from, to)));
        expect(await dumpTables(database.url, schema, tables)).to.equal(expected);
      }),
      { numRuns: 60 },
    );
  });

  it('keep nothing that was heard of a person before their erasure, in either order', async () => {
    const names = { name: 'Erik Example', firstName: 'Erik', lastName: 'Example' };
    const email = 'erik@example.com';
    const before = onLog.person(recorded.personOf('erik', { ...names, email }));
    const later = onLog.person(
      recorded.personOf('erik', { firstName: 'E.', receivedAt: minute(60) }),
    );
    const erasure = onLog.catalog(recorded.erasureOf('erik', minute(50)));
    for (const order of [
      [before, erasure],
      [erasure, before],
    ]) {
      await clear();
      await apply(order.map((record) => [record]));
      expect(await dumpTables(database.url, schema, tables)).to.not.match(/Erik|Example|@/);
      expect(await personOf(pool, tenantId, 'erik')).to.equal(undefined);
      // A boot after the erasure tells them anew.
      await apply([[later], [before], [erasure]]);
      const anew = { email: null, name: null, firstName: 'E.', lastName: null };
      expect(await personOf(pool, tenantId, 'erik')).to.deep.equal(anew);
    }
  });

  it('forget a person at a tombstone, within a batch too', async () => {
    const erik = onLog.person(recorded.personOf('erik', { firstName: 'Erik' }));
    await apply([[erik], [onLog.tombstone('erik')]]);
    expect(await personOf(pool, tenantId, 'erik')).to.equal(undefined);
    const cara = onLog.person(recorded.personOf('cara', { firstName: 'Cara' }));
    await apply([[cara, onLog.tombstone('cara')]]);
    expect(await personOf(pool, tenantId, 'cara')).to.equal(undefined);
  });

  it('take the last record of a person whole, as who reads the compacted topic later does', async () => {
    const first = recorded.personOf('cara', { email: 'cara@example.com', firstName: 'Cara' });
    const second = recorded.personOf('cara', { name: 'Cara Example', receivedAt: minute(2) });
    await apply([[onLog.person(first)], [onLog.person(second)]]);
    const heard = await personOf(pool, tenantId, 'cara');
    await clear();
    await apply([[onLog.person(second)]]);
    expect(await personOf(pool, tenantId, 'cara')).to.deep.equal(heard);
    expect(heard).to.include({ name: 'Cara Example', firstName: null, email: null });
  });

  it('are written by one statement, however many records a batch has', async () => {
    const records = story();
    for (const topic of topicsRead) {
      const one = ofTopic(records, topic);
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
        expect(statements, topic).to.equal(1);
      }
    }
  });

  async function clear(): Promise<void> {
    await pool.query(`truncate ${tables.join(', ')}`);
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
  const choices = fc.array(fc.nat(), { minLength: 40, maxLength: 40 });
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
 * is told by its place on the log keeps it: the last record of a person, the first issue of a code.
 */
function anyOrder(records: readonly OnLog[]): fc.Arbitrary<OnLog[]> {
  const isKept = ({ topic, decoded }: OnLog) =>
    topic === 'people' || (topic === 'codes' && (decoded as CodeRecord).version === 1);
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

import { defaultPartitions, topicName } from '@tributary/contracts/topics';
import { createKafka } from '@tributary/event-log/kafka';
import { createTopics, readPartitionCounts, topicSpecs } from '@tributary/event-log/topic-admin';
import { openGenerations } from '@tributary/generations/open-generations';
import {
  addGeneration,
  listGenerations,
  setGenerationStatus,
} from '@tributary/generations/registry';
import { createLogger } from '@tributary/runtime/logger';
import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { getServers } from '@tributary/testkit/servers';
import { uniquePrefix } from '@tributary/testkit/topics';
import { expect } from 'chai';
import type pg from 'pg';
import type { JobContext } from '../job-kind.ts';
import { madeBy } from '../../db/generation-marks.ts';
import { generationalTopics } from './next-number.ts';
import { createRebuildKind } from './rebuild.ts';

const logger = createLogger({ service: 'test', level: 'silent' });

describe('a rebuild that recovers a lost generation', function () {
  this.timeout(120_000);
  let database: TestDatabase;
  let pool: pg.Pool;
  let prefix: string;
  const stops: (() => Promise<void> | void)[] = [];

  beforeEach(async () => {
    prefix = uniquePrefix();
    database = await createDatabase();
    const onStop = (_name: string, stop: () => Promise<void> | void) => void stops.push(stop);
    const settings = { url: database.url, schema: 'generations' };
    pool = await openGenerations(settings, { logger, onStop, service: 'test' });
  });
  afterEach(async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
    await database.drop();
  });

  it('begins another one at once when what it was building is lost as well', async () => {
    await setGenerationStatus(pool, 1, 'lost', 'the database is older than it was');
    await addGeneration(pool, { number: 2, foldVersion: 2, note: madeBy('a-job') });
    await setGenerationStatus(pool, 2, 'lost', 'the database is older than it was');
    // No stage has registered itself, so it comes no further. Taken up again, it goes on with that.
    for (let times = 0; times < 2; times++) {
      expect(await recover()).to.equal('attribution has not registered itself: start it once');
      const listed = (await listGenerations(pool)).map(({ number, status }) => [number, status]);
      expect(listed).to.deep.equal([
        [1, 'lost'],
        [2, 'lost'],
        [3, 'building'],
      ]);
    }
  });

  it('makes the topics of a generation with as many partitions as there are now', async () => {
    const wiring = { prefix, generation: 1, replication: 1, minInsync: 1 };
    const partitions = { ...defaultPartitions, events: 3, attributions: 5 };
    const kafka = await connect();
    // Those of rewards are gone.
    const specs = topicSpecs({ ...wiring, partitions }, ['events', 'attributions']);
    await createTopics({ kafka, topics: specs, logger });
    await setGenerationStatus(pool, 1, 'lost', 'the database is older than it was');
    await recover();
    const names = generationalTopics.map((topic) => topicName(topic, { prefix, generation: 2 }));
    const made = await readPartitionCounts(kafka, names);
    expect(Object.fromEntries(made)).to.deep.equal({
      [topicName('attributions', { prefix, generation: 2 })]: 5,
      [topicName('rewards', { prefix, generation: 2 })]: 3,
    });
  });

  async function connect() {
    const { kafkaBrokers } = await getServers();
    const settings = { brokers: kafkaBrokers.split(',') };
    return createKafka({ settings, clientId: 'test', logger });
  }

  async function recover(): Promise<unknown> {
    const rebuild = createRebuildKind({
      pool,
      kafka: await connect(),
      topics: { prefix, generation: 1 },
      ...{ replication: 1, minInsync: 1 },
      compareWithLog: () => Promise.reject(new Error('not asked')),
    });
    const { signal } = new AbortController();
    const context: JobContext = {
      ...{ jobId: 'a-job', attempt: 1, dir: '/nonexistent', signal, logger },
      progress: () => undefined,
      note: () => Promise.resolve(),
    };
    return rebuild.run(context, { recover: true }).catch((error: Error) => error.message);
  }
});

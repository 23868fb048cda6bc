import type { EventRecord } from '@tributary/contracts/event-record';
import { recordKey, topicPartitions } from '@tributary/contracts/topics';
import { partitionOf } from '@tributary/event-log/partitioner';
import { cutLastBatch } from '@tributary/testkit/cut-log';
import { eventually } from '@tributary/testkit/eventually';
import { startOwned } from '@tributary/testkit/owned-servers';
import type { TestServer } from '@tributary/testkit/test-server';
import { testSeed } from '@tributary/testkit/test-seed';
import { expect } from 'chai';
import type { VerifyResult } from '@tributary/contracts/admin/replay-results';
import { findWrongBooks } from '../chain/books.ts';
import { readState } from '../chain/current-state.ts';
import { makeWorld } from '../chain/world.ts';
import { receivedNow } from './flow.ts';
import { startSystem, type System } from './system.ts';

/**
 * Kafka comes back without the last batch of a partition of events, which was decided already, and
 * further events are accepted in its place before attribution looks again. Then the runbook
 * partition-stopped, step by step: nothing was skipped, and a rebuild and a swap bring every
 * service back.
 */
describe('a log of events that lost its end', function () {
  this.timeout(600_000);
  const world = makeWorld(testSeed, 400);
  const tenantIds = ['t-event', 't-first'];
  let kafka: TestServer;
  let system: System;
  let topic: string;
  let lost: EventRecord;
  let further: EventRecord[];

  before(async () => {
    kafka = await startOwned('kafka');
    system = await startSystem([...world.catalog, ...world.codes], tenantIds, {
      kafkaBrokers: kafka.address,
    });
    topic = system.topics.nameOf('events');
    const [first, ...rest] = world.events.slice(200);
    lost = first!;
    further = rest.filter((event) => partition(event) === partition(lost)).slice(0, 5);
    expect(further).to.have.length(5);
    await system.topics.append(world.events.slice(0, 200));
    await system.atRest();
    await system.topics.append([receivedNow(lost)]);
    await system.atRest();
  });

  after(async () => {
    await system?.stop();
    await kafka?.stop();
  });

  function partition({ tenantId, newUser }: EventRecord): number {
    return partitionOf(topic, recordKey(tenantId, newUser.id), topicPartitions);
  }

  const attribution = () => system.services.attribution.replicas[0]!;

  async function readyz(): Promise<string> {
    const answer = await fetch(`http://127.0.0.1:${attribution().adminPort}/readyz?all`);
    return `${answer.status} ${await answer.text()}`;
  }

  it('stops attribution with an alert, and skips nothing', async () => {
    const decidedBefore = (await readState(system.db(), 1)).decisions;
    expect(decidedBefore.has(lost.eventId)).to.equal(true);
    attribution().pause();
    await kafka.kill();
    expect(await cutLastBatch(kafka, { topic, partition: partition(lost) })).to.equal(1);
    await kafka.restart();
    // Refused while partitions have no leader yet; a copy of a fact changes nothing.
    for (const event of further) {
      await eventually(() => system.topics.append([receivedNow(event)]), { deadlineMs: 90_000 });
    }
    attribution().resume();
    await eventually(
      async () => expect(await readyz()).to.match(/^503 .*is not the one applied/s),
      { deadlineMs: 90_000, everyMs: 200 },
    );
    const { decisions } = await readState(system.db(), 1);
    for (const { eventId } of further) expect(decisions.has(eventId)).to.equal(false);
  });

  it('comes back by a rebuild and a swap', async () => {
    const sent = system.receiver.arrivals.length;
    const rebuilt = await system.tributary(['replay', 'rebuild']);
    expect(rebuilt.out + rebuilt.err).to.match(/generation 2/i);
    const swapped = await system.tributary(['replay', 'swap', '2']);
    expect(swapped.code, swapped.out + swapped.err).to.equal(0);
    await Promise.all(Object.values(system.services).map((group) => group.ready()));
    await system.atRest();
    const { decisions } = await readState(system.db(), 2);
    for (const { eventId } of further) expect(decisions.has(eventId)).to.equal(true);
    const jobId = await system.begin('/api/replay/jobs', { kind: 'verify' });
    expect((await system.resultOf<VerifyResult>(jobId)).outcome).to.equal('identical');
    expect(await findWrongBooks(system.db(), 2)).to.deep.equal([]);
    const later = system.receiver.arrivals.slice(sent);
    expect(later.filter(({ nth }) => nth > 0)).to.deep.equal([]);
  });
});

import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { processState } from '../stopped-process.ts';
import { byEvent, expectAccepted } from './arrivals.ts';
import type { Dispatcher } from './dispatcher.ts';
import {
  type ClaimedRow,
  claimsOf,
  expectNothingHeld,
  sleepsInTransaction,
  untilDelivered,
} from './tables.ts';
import { prepareTogether } from './together.ts';
import { createWorld, type World } from './world.ts';

/**
 * A dispatcher falls asleep (SIGSTOP) with requests under way and claims that it has not sent, and
 * sleeps until another has taken all of that over. When it wakes, what it does must not show.
 */
const tenants = Array.from({ length: 8 }, (_, n) => `t${n + 1}`);
/** Requests that are under way when it falls asleep; what it has claimed beyond is unsent. */
const sent = 12;

describe('a webhook dispatcher that sleeps longer than its lease', function () {
  this.timeout(240_000);
  let world: World;
  let sleeper: Dispatcher;
  let other: Dispatcher;
  const ids: string[] = [];
  let held: ClaimedRow[];
  let isAsleep = false;
  let stateOfSleeper: string;

  prepareTogether('takeover', async () => {
    world = await createWorld({ limits: { timeoutMs: 4_000, leaseMs: 6_000 } });
    const { receiver } = world;
    // What the sleeper sent is refused while it sleeps: a late result of its would be a failure.
    const asleep = Promise.withResolvers<void>();
    receiver.behave(({ nth }) => (nth === 0 && !isAsleep ? asleep.promise.then(() => 500) : 200));
    await world.setEndpoints(tenants);
    sleeper = world.start();
    await sleeper.ready();
    sleeper.order({ hook: 'sending', times: sent + 1, act: 'wait-onwards' });
    for (const tenantId of tenants) ids.push(...(await world.issue(tenantId, 10)));
    await eventually(() => expect(receiver.arrivals).to.have.length(sent), { everyMs: 10 });
    await fallAsleep();
    isAsleep = true;
    asleep.resolve();
    // Said now, heard when it wakes.
    sleeper.go();
    held = await claimsOf(world.db, sleeper);
    await eventually(() =>
      expect(receiver.arrivals.filter(({ status }) => status === 500)).to.have.length(sent),
    );

    other = world.start();
    await eventually(
      async () => {
        const done = new Set(
          world.receiver.arrivals.filter((a) => a.status === 200).map((a) => a.eventId),
        );
        expect(held.filter(({ id }) => !done.has(id))).to.deep.equal([]);
      },
      { deadlineMs: 45_000 },
    );
    stateOfSleeper = processState(sleeper.pid);
    sleeper.signal('SIGCONT');
    await untilDelivered(world.db, ids.length, 30_000);
    await sleeper.ready();
  });

  after(() => world?.stop());

  async function fallAsleep(): Promise<void> {
    await eventually(async () => {
      sleeper.signal('SIGSTOP');
      await eventually(() => expect(processState(sleeper.pid)).to.equal('T'));
      if (!(await sleepsInTransaction(world.db))) return;
      sleeper.signal('SIGCONT');
      throw new Error(
        'it fell asleep in a transaction, whose locks the server ends, not what this is about',
      );
    });
  }

  it('has its claims taken over while it sleeps', () => {
    expect(stateOfSleeper).to.equal('T');
    expect(held.length).to.be.greaterThan(sent);
    expectAccepted(world.receiver.arrivals, ids);
  });

  it('sends nothing that it had claimed before, and nothing is sent after its 2xx', () => {
    const arrivals = byEvent(world.receiver.arrivals);
    for (const id of ids) {
      const statuses = arrivals.get(id)!.map(({ status }) => status);
      expect(statuses.indexOf(200), id).to.equal(statuses.length - 1);
    }
  });

  it('does no harm with its late results: what is delivered stays so, nothing is counted twice', async () => {
    // It is back at work, and its results of before are written or dropped.
    const more: string[] = [];
    for (const tenantId of tenants) more.push(...(await world.issue(tenantId, 10)));
    await untilDelivered(world.db, ids.length + more.length, 30_000);
    await eventually(() => expectNothingHeld(world.db));
    const { rows } = await world.db.query<{ attempts: number; arrivals: number }>(
      `select webhook_event_id as id, attempts from delivery where attempts > 2 or state <> 'delivered'`,
    );
    expect(rows).to.deep.equal([]);
  });

  it('works again under another name', async () => {
    const workers = new Set(held.map(({ worker }) => worker));
    const { rows } = await world.db.query<{ worker: string; name: string }>(
      'select worker_id as worker, name from worker where alive_until > now()',
    );
    expect(rows.map(({ name }) => Number(name.split('/').at(-1)))).to.have.members([
      sleeper.pid,
      other.pid,
    ]);
    expect(rows.filter(({ worker }) => workers.has(worker))).to.deep.equal([]);
  });

  it('recovered by itself: all ready, nothing unread, nothing unsent', () => world.recovered());
});

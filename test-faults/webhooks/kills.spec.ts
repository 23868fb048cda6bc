import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { expectAccepted, sentTwice, without } from './arrivals.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { TestHook } from './orders.ts';
import { slowly } from './receiver.ts';
import { claimsOf, expectNothingHeld, untilDelivered } from './tables.ts';
import { prepareTogether } from './together.ts';
import { createWorld, type World } from './world.ts';

/**
 * 1,000 deliveries over 20 endpoints and three processes, which are killed at every moment of their
 * work and replaced, in two waves. A fifth of the deliveries needs a second attempt.
 */
const tenants = Array.from({ length: 20 }, (_, n) => `t${n + 1}`);
const perTenant = 50;

/** What a process had in its hands when it was killed: claims, and which of them the log knows. */
type Victim = { hook: TestHook; process: Dispatcher; claimed: Set<string>; recorded: Set<string> };

describe('webhook dispatchers that are killed at every moment', function () {
  this.timeout(240_000);
  let world: World;
  const ids: string[] = [];
  const victims: Victim[] = [];

  prepareTogether('takeover', async () => {
    // Long beside what a busy machine may need to look at what a dead process held.
    world = await createWorld({ limits: { leaseMs: 8_000 } });
    world.receiver.behave(
      slowly(40, ({ eventId, nth }) => (isFirstRefused(eventId, nth) ? 500 : 200)),
    );
    await world.setEndpoints(tenants);
    const three = Array.from({ length: 3 }, () => world.start());
    await Promise.all(three.map((one) => one.ready()));

    const all = (hook: TestHook, times: number, process: Dispatcher) => ({
      hook,
      times,
      process,
    });
    const [a, b, c] = three as [Dispatcher, Dispatcher, Dispatcher];
    const first = killAt([all('claimed', 1, a), all('sending', 9, b), all('answered', 40, c)]);
    await issue(20);
    const [d, e] = await first;
    // What the first wave left behind is theirs, and the rest of the deliveries.
    await Promise.all([d!.ready(), e!.ready()]);
    const second = killAt([all('recorded', 20, d!), all('flushing', 3, e!)]);
    await issue(30);
    await second;
    await untilDelivered(world.db, ids.length, 60_000);
  });

  after(() => world?.stop());

  async function issue(count: number): Promise<void> {
    for (const tenantId of tenants) ids.push(...(await world.issue(tenantId, count)));
  }

  /** Resolves when they are dead and looked at, with their replacements. */
  function killAt(plans: { hook: TestHook; times: number; process: Dispatcher }[]) {
    return Promise.all(
      plans.map(async ({ hook, times, process }) => {
        process.order({ hook, times, act: 'SIGKILL' });
        const { signal } = await process.exited;
        expect(signal, `${process.name} at ${hook}`).to.equal('SIGKILL');
        const rows = await claimsOf(world.db, process);
        const replacement = world.start();
        const claimed = new Set(rows.map(({ id }) => id));
        const recorded = await recordedBefore(
          new Map(rows.map(({ id, leaseEnd }) => [id, leaseEnd])),
        );
        victims.push({ hook, process, claimed, recorded });
        return replacement;
      }),
    );
  }

  /**
   * What the log knew to be delivered when its lease ended; later it may be told by who took over.
   */
  async function recordedBefore(leaseEnds: ReadonlyMap<string, Date>): Promise<Set<string>> {
    const delivered = (await world.facts()).filter(
      (fact) =>
        fact.type === 'attempted' &&
        fact.outcome === 'delivered' &&
        fact.startedAt < (leaseEnds.get(fact.webhookEventId)?.toISOString() ?? ''),
    );
    return new Set(delivered.map(({ webhookEventId }) => webhookEventId));
  }

  const inHandAndUntold = () =>
    new Set(victims.flatMap(({ claimed, recorded }) => without(claimed, recorded)));
  const victimOf = (hook: TestHook) => victims.find((victim) => victim.hook === hook)!;

  it('delivers every issuance, under one event id and with the same bytes each time', () => {
    expect(ids).to.have.length(tenants.length * perTenant);
    expectAccepted(world.receiver.arrivals, ids);
  });

  it('sends twice only what a killed process had in its hands and had not recorded on the log', () => {
    const mayBeTwice = inHandAndUntold();
    const twice = sentTwice(world.receiver.arrivals);
    expect(without(twice, mayBeTwice)).to.deep.equal([]);
    // The kill after the receiver's 2xx is what makes a second one.
    expect(twice.size).to.be.greaterThan(0);
  });

  it('holds nothing after a kill during the claim', () => {
    expect([...victimOf('claimed').claimed]).to.deep.equal([]);
  });

  it('sends nothing again whose result was on the log, though its process wrote no row', async () => {
    // An answer is written by the process that got it, and by nobody else.
    const { rows } = await world.db.query<{ id: string; attempt: number }>(
      `select webhook_event_id as id, attempt from attempt
       where status_code is not null and answer_headers is null`,
    );
    const untold = inHandAndUntold();
    const recorded = rows.filter(({ id }) => !untold.has(id));
    expect(recorded.length).to.be.greaterThan(0);
    const times = recorded.map(
      ({ id, attempt }) =>
        world.receiver.arrivals.filter((a) => a.eventId === id && a.attempt === attempt).length,
    );
    expect(times.filter((count) => count !== 1)).to.deep.equal([]);
  });

  it('frees what the dead held, and counts no endpoint as busy', async () => {
    await expectNothingHeld(world.db);
    // The sweep of a dead one needs its lease to end, also of those that held nothing.
    await eventually(
      async () => {
        const { rows } = await world.db.query<{ name: string }>('select name from worker');
        const dead = rows.filter(({ name }) =>
          victims.some(({ process }) => name.endsWith(`/${process.pid}`)),
        );
        expect(dead).to.deep.equal([]);
      },
      { deadlineMs: 15_000 },
    );
  });

  it('knows every attempt that the log knows', async () => {
    const facts = await world.facts();
    const recorded = new Set(
      facts.map(
        (fact) => `${fact.webhookEventId}/${fact.type === 'attempted' ? fact.attempt : ''}`,
      ),
    );
    const { rows } = await world.db.query<{ attempt: string }>(
      `select webhook_event_id || '/' || attempt as attempt from attempt order by 1`,
    );
    expect(rows.map(({ attempt }) => attempt)).to.deep.equal([...recorded].sort());
  });

  it('recovered by itself: all ready, nothing unread, nothing unsent', () => world.recovered());
});

/** A fifth of the events, by their id. */
function isFirstRefused(eventId: string, nth: number): boolean {
  return nth === 0 && parseInt(eventId.slice(0, 2), 16) % 5 === 0;
}

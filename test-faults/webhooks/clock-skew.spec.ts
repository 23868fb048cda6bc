import { eventually } from '@tributary/testkit/eventually';
import type { DeliveryRecord } from '@tributary/contracts/delivery-record';
import { patiently } from '@tributary/testkit/patience';
import { expect } from 'chai';
import { expectAccepted, sentTwice } from './arrivals.ts';
import type { Behaviour } from './receiver.ts';
import { countStates, expectNothingHeld } from './tables.ts';
import { prepareTogether } from './together.ts';
import { createWorld, type World } from './world.ts';

const hourMs = 3_600_000;
const skewsMs = [-hourMs, hourMs, 40 * 24 * hourMs];
const horizonMs = 2 * hourMs;
const retryDelaysMs = [300, 600, 1_200];
const tenants = Array.from({ length: 6 }, (_, n) => `t${n + 1}`);
const ago = (ms: number) => ({ issuedAt: new Date(Date.now() - ms).toISOString() });

/**
 * Three dispatchers, none of which knows what time it is: one is an hour behind, one an hour ahead,
 * one 40 days ahead. Only the database's clock may count, so all is as if their clocks were right.
 */
describe('webhook dispatchers whose clocks are wrong', function () {
  this.timeout(240_000);
  let world: World;
  let facts: DeliveryRecord[];
  const ids: string[] = [];
  /** In the middle of their horizon, which is over for a clock 40 days ahead, or an hour. */
  let older: string[];
  let expired: string[];
  let postponed: string[];
  /** When, by the id of what was refused. */
  const askedFor = new Map<string, number>();

  prepareTogether('rest', async () => {
    world = await createWorld({
      limits: { horizonMs, retryDelaysMs, maxInFlight: 8, perEndpoint: 4 },
    });
    const { receiver } = world;
    receiver.behave(refusingEveryFourth());
    receiver.behaveFor('postponing', ({ eventId, nth }) => {
      if (nth > 0) return 200;
      const at = Math.ceil(Date.now() / 1_000) * 1_000 + 3_000;
      askedFor.set(eventId, at);
      return { status: 429, headers: { 'retry-after': new Date(at).toUTCString() } };
    });
    await world.setEndpoints([...tenants, 'postponing']);
    await world.setEndpoints(['paused'], { status: 'paused', reason: 'a test' });
    const three = skewsMs.map((skewMs) => world.start({ skewMs }));
    await Promise.all(three.map((one) => one.ready()));

    for (const tenantId of tenants) ids.push(...(await world.issue(tenantId, 20)));
    older = await world.issue(tenants[0]!, 6, ago(horizonMs - hourMs / 2));
    postponed = await world.issue('postponing', 6);
    expired = await world.issue('paused', 5, ago(horizonMs + 1_000));
    await world.issue('paused', 5, ago(horizonMs - hourMs / 2));
    ids.push(...older, ...postponed);
    await eventually(
      async () =>
        expect(await countStates(world.db)).to.deep.equal({
          ...{ delivered: ids.length, exhausted: expired.length, pending: 5 },
        }),
      { deadlineMs: 30_000 },
    );
    facts = (await world.facts()).filter((fact) => fact.type === 'attempted');
  });

  after(() => world?.stop());

  it('deliver everything, each attempt once', async () => {
    expectAccepted(world.receiver.arrivals, ids);
    expect([...sentTwice(world.receiver.arrivals)]).to.deep.equal([]);
    await eventually(() => expectNothingHeld(world.db));
  });

  it('all take part', async () => {
    const { rows } = await world.db.query<{ workers: number }>(
      'select count(*)::int as workers from worker where alive_until > now()',
    );
    expect(rows[0]!.workers).to.equal(skewsMs.length);
  });

  it("say when attempts were and will be by the database's clock", async () => {
    const { rows } = await world.db.query<{ now: Date }>('select now()');
    const nowMs = rows[0]!.now.getTime();
    for (const fact of facts) {
      const startedMs = Date.parse(fact.startedAt);
      expect(nowMs - startedMs, fact.startedAt).to.be.within(-1_000, patiently(120_000));
      if (fact.nextAttemptAt === undefined || postponed.includes(fact.webhookEventId)) continue;
      const waitMs = Date.parse(fact.nextAttemptAt) - startedMs - fact.durationMs;
      expect(waitMs, 'first pause, with its jitter and the way to its result').to.be.within(
        retryDelaysMs[0]! * 0.8 - 50,
        retryDelaysMs[0]! * 1.2 + patiently(2_000),
      );
    }
  });

  it('give up nothing within its horizon, and what is behind it', async () => {
    const { rows } = await world.db.query<{ id: string }>(
      `select webhook_event_id as id from delivery where state = 'exhausted'`,
    );
    expect(rows.map(({ id }) => id)).to.have.members(expired);
    expect(facts.filter(({ outcome }) => outcome === 'exhausted')).to.deep.equal([]);
  });

  it("wait for the date that Retry-After names, on the database's calendar", () => {
    for (const fact of facts) {
      if (!postponed.includes(fact.webhookEventId) || fact.attempt !== 1) continue;
      const asked = askedFor.get(fact.webhookEventId)!;
      expect(Date.parse(fact.nextAttemptAt!) - asked).to.be.within(-500, 2_000);
    }
    const second = facts.filter((f) => postponed.includes(f.webhookEventId) && f.attempt === 2);
    expect(second).to.have.length(postponed.length);
    for (const { startedAt, webhookEventId } of second) {
      expect(Date.parse(startedAt) - askedFor.get(webhookEventId)!).to.be.greaterThan(-500);
    }
  });

  it('recovered by itself: all ready, nothing unread, nothing unsent', () => world.recovered());
});

/**
 * Refuses the first attempt of a tenant's every fourth delivery, counted by arrival: chance might
 * refuse so many in a row that the breaker opens, whose probes have no pauses of the schedule.
 */
function refusingEveryFourth(): Behaviour {
  const firsts = new Map<string, number>();
  return ({ tenantId, nth }) => {
    if (nth > 0) return 200;
    const count = (firsts.get(tenantId) ?? 0) + 1;
    firsts.set(tenantId, count);
    return count % 4 === 0 ? 503 : 200;
  };
}

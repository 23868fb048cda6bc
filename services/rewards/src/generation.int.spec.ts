import { addGeneration, flipLive, removeGeneration } from '@tributary/generations/registry';
import { purchaseDecision, revisionOf } from '@tributary/rewards-fold/testing/records';
import { inTransaction } from '@tributary/runtime/postgres';
import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { sampleOf } from '@tributary/http/testing/samples';
import { eventually } from '@tributary/testkit/eventually';
import { getServers } from '@tributary/testkit/servers';
import { uniquePrefix } from '@tributary/testkit/topics';
import { expect } from 'chai';
import type pg from 'pg';
import { openRegistry } from './testing/open-registry.ts';
import {
  internalToken,
  openTopics,
  runRewards,
  type TestTopics,
} from './testing/running-rewards.ts';

describe('generations of rewards', () => {
  let database: TestDatabase;
  let topics: TestTopics;
  let registry: pg.Pool;
  const services: Awaited<ReturnType<typeof runRewards>>[] = [];

  before(async () => {
    database = await createDatabase();
    topics = await openTopics((await getServers()).kafkaBrokers, uniquePrefix());
    registry = await openRegistry(database.url);
    await topics.publish(revisionOf());
    services.push(await runRewards({ topics, url: database.url }));
    services.push(await runRewards({ topics, url: database.url }));
  });

  after(async () => {
    await Promise.all(services.map((service) => service.stop()));
    await registry.end();
    await topics.close();
    await database.drop();
  });

  const deadline = { deadlineMs: 60_000 };

  it('folds a generation that is registered meanwhile to the same, and grants nothing by it', async () => {
    await topics.decide(...decisionsFrom(1, 60));
    await eventually(async () => expect(await issuedOnce(1)).to.equal(60), deadline);
    await addGeneration(registry, { number: 2, foldVersion: 2 });
    await topics.makeGeneration(2);
    await eventually(
      async () => expect(await totals('rewards_g2')).to.deep.equal(await totals('rewards_g1')),
      deadline,
    );
    await topics.decideIn(2, purchaseDecision(900, { referrerId: 'shade' }));
    await eventually(async () => {
      const { rows } = await registry.query(
        "select state from rewards_g2.entitlement where recipient_id = 'shade'",
      );
      expect(rows).to.deep.equal([{ state: 'held' }]);
    }, deadline);
    await topics.decide(purchaseDecision(900, { referrerId: 'shade' }));
    expect((await topics.issuances()).filter((f) => f.recipientId === 'shade').length).to.be.lte(1);
    const text = await (await fetch(`${services[0]!.adminUrl}/metrics`)).text();
    for (const generation of ['1', '2']) {
      const labels = { outbox: 'outbox', generation };
      expect(sampleOf(text, 'tributary_outbox_records', labels)).to.be.a('number');
    }
    expect(text.match(/# HELP tributary_outbox_records/g)).to.have.length(1);
  });

  it('issues each reward once while the live generation changes again and again under load', async () => {
    let count = 0;
    let flips = 0;
    let done = false;
    const flipping = (async () => {
      while (!done) {
        const [from, to] = flips % 2 === 0 ? [1, 2] : [2, 1];
        expect(await inTransaction(registry, (tx) => flipLive(tx, { from, to }))).to.equal(true);
        flips += 1;
        // Some releases of each, before the next one takes over.
        await registry.query('select pg_sleep(0.15)');
      }
    })();
    while (count < 400 || flips <= 4) {
      const decisions = decisionsFrom(1_000 + count, 20);
      await Promise.all([topics.decideIn(1, ...decisions), topics.decideIn(2, ...decisions)]);
      count += 20;
    }
    await eventually(async () => expect(await issuedOnce(1_000)).to.equal(count), deadline);
    done = true;
    await flipping;
    await eventually(
      async () => expect(await totals('rewards_g2')).to.deep.equal(await totals('rewards_g1')),
      deadline,
    );
    if (flips % 2 === 1) await inTransaction(registry, (tx) => flipLive(tx, { from: 2, to: 1 }));
  });

  it('lets a flip wait for a release under way, and none of the old one begins after it', async () => {
    const release = await registry.connect();
    await release.query('begin');
    await release.query('select generation from live_generation for share');
    let flipped = false;
    const flip = inTransaction(registry, (tx) => flipLive(tx, { from: 1, to: 2 })).then((done) => {
      flipped = true;
      return done;
    });
    await eventually(async () => {
      const { rows } = await registry.query<{ waiting: number }>(
        "select count(*)::int as waiting from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
      );
      expect(rows[0]!.waiting).to.be.greaterThan(0);
    });
    expect(flipped).to.equal(false);
    await release.query('commit');
    release.release();
    expect(await flip).to.equal(true);
    expect(await inTransaction(registry, (tx) => flipLive(tx, { from: 1, to: 2 }))).to.equal(false);
    expect(await inTransaction(registry, (tx) => flipLive(tx, { from: 2, to: 1 }))).to.equal(true);
    expect(await inTransaction(registry, (tx) => flipLive(tx, { from: 1, to: 9 }))).to.equal(false);
  });

  it('answers for the generation that is named, for the live one when none is, and stops a removed one', async () => {
    expect(await statusOf('?generation=2')).to.equal(422);
    expect(await statusOf('')).to.equal(422);
    expect(await statusOf('?generation=7')).to.equal(503);
    expect(await statusOf('?generation=x')).to.equal(422);
    expect(await removeGeneration(registry, 1)).to.equal(false);
    expect(await removeGeneration(registry, 2)).to.equal(true);
    await eventually(async () => expect(await statusOf('?generation=2')).to.equal(503), deadline);
    await eventually(async () => {
      const { rows } = await registry.query<{ connections: number }>(
        `select count(*)::int as connections from pg_locks join pg_class on pg_class.oid = relation
         where relnamespace = 'rewards_g2'::regnamespace
           and database = (select oid from pg_database where datname = current_database())`,
      );
      expect(rows[0]!.connections).to.equal(0);
    }, deadline);
    await registry.query('drop schema rewards_g2 cascade');
    await topics.decide(purchaseDecision(5_000));
    await eventually(async () => expect(await issuedOnce(5_000)).to.equal(1), deadline);
  });

  /** `/internal/try` with a body that is not understood: 422 by whoever is asked. */
  async function statusOf(query: string): Promise<number> {
    const { status } = await fetch(`${services[0]!.adminUrl}/internal/try${query}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${internalToken}`, 'content-type': 'application/json' },
      body: '{}',
    });
    return status;
  }

  /**
   * Rewards of decisions from this number on that have exactly one issuance; throws when one has
   * more.
   */
  async function issuedOnce(from: number): Promise<number> {
    const { rows } = await registry.query<{ count: number; n: number }>(
      `select count(*)::int as count, substring(business_key from 'inv_(\\d+)')::int as n
       from issuance.issuance join rewards_g1.entitlement using (reward_id) group by 2`,
    );
    expect(rows.filter(({ count }) => count !== 1)).to.deep.equal([]);
    return rows.filter(({ n }) => n >= from).length;
  }

  async function totals(schema: string): Promise<unknown[]> {
    const { rows } = await registry.query<Record<string, string>>(
      `select recipient_id, trim_scale(entitled) as entitled, trim_scale(issued) as issued
       from ${schema}.recipient where recipient_id <> 'shade' order by recipient_id`,
    );
    return rows;
  }
});

function decisionsFrom(first: number, count: number) {
  return Array.from({ length: count }, (_, i) =>
    purchaseDecision(first + i, { referrerId: `ref_${i % 7}` }),
  );
}

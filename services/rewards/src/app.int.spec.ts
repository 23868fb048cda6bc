import { sampleOf, samplesOf } from '@tributary/http/testing/samples';
import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { getServers } from '@tributary/testkit/servers';
import { uniquePrefix } from '@tributary/testkit/topics';
import { expect } from 'chai';
import pg from 'pg';
import { asDuplicate, purchaseDecision, revisionOf } from '@tributary/rewards-fold/testing/records';
import { addGeneration, flipLive } from '@tributary/generations/registry';
import { inTransaction } from '@tributary/runtime/postgres';
import { openRegistry } from './testing/open-registry.ts';
import { openTopics, runRewards, type TestTopics } from './testing/running-rewards.ts';

describe('rewards service', () => {
  let database: TestDatabase;
  let topics: TestTopics;
  let client: pg.Client;
  let registry: pg.Pool;
  const running: Awaited<ReturnType<typeof runRewards>>[] = [];

  before(async () => {
    database = await createDatabase();
    topics = await openTopics((await getServers()).kafkaBrokers, uniquePrefix());
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
    registry = await openRegistry(database.url);
    await topics.publish(revisionOf());
  });

  after(async () => {
    await Promise.all(running.map((service) => service.stop()));
    await client.end();
    await registry.end();
    await topics.close();
    await database.drop();
  });

  async function run(options: Partial<Parameters<typeof runRewards>[0]> = {}) {
    const service = await runRewards({ topics, url: database.url, ...options });
    running.push(service);
    return service;
  }

  async function stopAll(): Promise<void> {
    await Promise.all(running.splice(0).map((service) => service.stop()));
  }

  async function count(from: string): Promise<number> {
    const { rows } = await client.query<{ count: string }>(`select count(*) as count from ${from}`);
    return Number(rows[0]?.count);
  }

  const issued = (recipientId: string) =>
    topics.issuances().then((all) => all.filter((fact) => fact.recipientId === recipientId));

  it('makes a decision a reward and an issuance, once, and says so on the log', async () => {
    const service = await run();
    const decision = purchaseDecision(1);
    await topics.decide(decision, decision);
    const [fact] = await eventually(
      async () => {
        const facts = await issued('anna');
        expect(facts).to.have.length(1);
        return facts;
      },
      { deadlineMs: 30_000 },
    );
    expect(fact).to.include({ credits: '10', campaignId: 'c1', rewardType: 'credits' });
    // Another outbox takes it to another topic.
    await eventually(async () => {
      const rewards = (await topics.rewards()).sort((a, b) => a.version - b.version);
      expect(rewards.map((r) => `${r.version} ${r.state} ${r.entitledCredits}`)).to.deep.equal([
        '1 held 10',
        '2 issued 10',
      ]);
    });
    await eventually(async () => {
      const ready = await fetch(`${service.adminUrl}/readyz?all`);
      expect(ready.status, await ready.text()).to.equal(200);
    });
    // What was sent is there for a moment still.
    await eventually(async () => {
      const metrics = await (await fetch(`${service.adminUrl}/metrics`)).text();
      expect(metrics).to.match(/rewards_issuances_total\{service="rewards",generation="1"\} 1\n/);
      expect(metrics).to.match(/rewards_recipients_due\{service="rewards",generation="1"\} 0\n/);
      for (const outbox of ['outbox', 'issuance_outbox']) {
        const [records, oldest] = ['records', 'oldest_seconds'].map((name) =>
          sampleOf(metrics, `tributary_outbox_${name}`, { outbox }),
        );
        expect([records, oldest], outbox).to.deep.equal([0, 0]);
      }
      expect(sampleOf(metrics, 'tributary_rewards_reward_delay_seconds_count')).to.equal(1);
      const delays = samplesOf(metrics, 'tributary_consumer_delay_seconds_count');
      expect(delays.map(({ labels }) => labels['topic']?.split('.').at(-1))).to.include(
        'attributions',
      );
    });
  });

  it('moves a decision before and after its issuance, with two processes sharing the partitions', async () => {
    await run();
    const decisions = Array.from({ length: 200 }, (_, i) =>
      purchaseDecision(100 + i, { referrerId: `ref_${i % 7}` }),
    );
    await topics.decide(...decisions);
    await topics.decide(
      ...decisions.slice(0, 50).map((d) => ({ ...d, version: 2, referrerId: 'bert' })),
      ...decisions.slice(50, 100).map((d) => asDuplicate(d, 'other')),
    );
    await eventually(
      async () => {
        expect(await count('rewards_g1.decision')).to.equal(201);
        expect(await count('rewards_g1.decision where version = 2')).to.equal(100);
        expect(await count('rewards_g1.recipient where due_at is not null')).to.equal(0);
        expect(await count('issuance.issuance_outbox')).to.equal(0);
        expect(await count('rewards_g1.outbox')).to.equal(0);
      },
      { deadlineMs: 40_000 },
    );
    const { rows } = await client.query<{ recipient: string; entitled: string; held: string }>(
      `select case recipient_id when 'bert' then 'bert' else 'others' end as recipient,
         trim_scale(sum(entitled)) as entitled, trim_scale(sum(held)) as held
       from rewards_g1.recipient where recipient_id <> 'anna' group by 1 order by 1`,
    );
    expect(rows).to.deep.equal([
      { recipient: 'bert', entitled: '500', held: '0' },
      { recipient: 'others', entitled: '1000', held: '0' },
    ]);
    const sums = await client.query(
      `select posting_id from rewards_g1.ledger_entry group by 1 having sum(credits) <> 0`,
    );
    expect(sums.rows).to.deep.equal([]);
    const facts = await topics.issuances();
    expect(new Set(facts.map((fact) => fact.issuanceId)).size).to.equal(
      await count('issuance.issuance'),
    );
  });

  it('does not resume a dropped generation, rebuilds it as the next and issues nothing again (promise 10)', async () => {
    const before = await totals('rewards_g1');
    const issuedBefore = (await topics.issuances()).length;
    await stopAll();
    await client.query('drop schema rewards_g1 cascade');
    await client.query('drop schema issuance cascade');
    const service = await run();
    await eventually(async () => {
      const ready = await fetch(`${service.adminUrl}/readyz?all`);
      expect(ready.status).to.equal(503);
      expect(await ready.text()).to.match(/generation 1 is lost: .*tributary replay rebuild/);
    });
    await topics.makeGeneration(2);
    await addGeneration(registry, { number: 2, foldVersion: 2 });
    await eventually(
      async () => {
        expect(await totals('rewards_g2')).to.deep.equal(before);
        expect(await count('rewards_g2.outbox')).to.equal(0);
      },
      { deadlineMs: 40_000 },
    );
    await inTransaction(registry, (tx) => flipLive(tx, { from: 1, to: 2 }));
    await eventually(
      async () => {
        expect(await count('rewards_g2.recipient where due_at is not null')).to.equal(0);
        expect((await fetch(`${service.adminUrl}/readyz?all`)).status).to.equal(200);
      },
      { deadlineMs: 40_000 },
    );
    expect(await totals('rewards_g2')).to.deep.equal(before);
    expect(await topics.issuances()).to.have.length(issuedBefore);
  });

  async function totals(schema: string): Promise<unknown[]> {
    const { rows } = await client.query<Record<string, string>>(
      `select recipient_id, trim_scale(entitled) as entitled, trim_scale(issued) as issued
       from ${schema}.recipient order by recipient_id`,
    );
    return rows;
  }
});

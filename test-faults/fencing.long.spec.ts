import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { eventCodec } from '@tributary/contracts/event-record';
import { issuanceCodec } from '@tributary/contracts/issuance-record';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import pg from 'pg';
import type { DemoTenant } from '../deploy/demo/demo-file.ts';
import type { Stack } from '../deploy/local/stack.ts';
import { startThrowawayStack } from '../deploy/local/throwaway-stack.ts';
import { createCustomer, type Customer } from './customer.ts';
import { currentDecision, type DecisionLog, decidedTwice, readDecisions } from './decided-once.ts';
import { countOutboxRows, readLag } from './inspect.ts';
import { lastAssignment } from './last-assignment.ts';
import { readPositions, sleepsInTransaction, watchPositions } from './positions.ts';
import { readLog } from './read-log.ts';
import { expectStackRecovered } from './recovered.ts';
import { processState, unreadBytes } from './stopped-process.ts';

/**
 * One of two attribution processes, and one of two rewards processes, falls asleep (SIGSTOP) with
 * records in its hands while purchases flow. Kafka takes it for dead and gives its partitions to
 * the other, so that for a moment two own them: the fence must let only the new one write (design
 * 6).
 */
const schemas = { attribution: 'attribution_g1', rewards: 'rewards_g1' } as const;
const names = ['attribution', 'rewards'] as const;
type Name = (typeof names)[number];

/**
 * A client gives a request up after 6 s. Who sleeps for longer finds that out before it reads what
 * came, and has nothing in its hands: it must wake sooner, on a slow machine as well.
 */
const sessionTimeout = { TRIBUTARY_KAFKA_SESSION_TIMEOUT_MS: '3000' };

describe('a consumer that sleeps through a takeover', function () {
  this.timeout(600_000);
  let stack: Stack;
  let db: pg.Client;
  let watch: ReturnType<typeof watchPositions>;
  let customer: Customer;
  const invoices: string[] = [];
  let decisions: DecisionLog;

  before(async () => {
    stack = await startThrowawayStack({
      replicas: { attribution: 2, rewards: 2 },
      variables: { attribution: sessionTimeout, rewards: sessionTimeout },
    });
    db = new pg.Client({ connectionString: stack.demo.postgresUrl });
    await db.connect();
    watch = watchPositions(db, Object.values(schemas));
    customer = await createCustomer(stack.demo, stack.demo.tenants[0] as DemoTenant);
    for (const name of names) {
      // Who heard of the takeover before it read its records sleeps once more.
      for (let round = 1; round <= 25 && !wasFenced(name); round++) {
        await sleepThroughTakeover(name);
      }
    }
    await continueAlone();
    await watch.stop();
    decisions = await readDecisions(stack.demo);
  });

  after(async () => {
    await watch?.stop();
    await db?.end();
    await stack?.stop();
  });

  const sleeper = (name: Name) => stack.services[name].replicas[0]!;
  const other = (name: Name) => stack.services[name].replicas[1]!;
  const wasFenced = (name: Name) =>
    readFileSync(sleeper(name).logFile, 'utf8').includes('"fenced: another');

  async function untilBothOwnPartitions(): Promise<void> {
    await eventually(
      () => {
        for (const name of names) {
          for (const replica of [sleeper(name), other(name)]) {
            expect(lastAssignment(replica), replica.name).to.be.greaterThan(0);
          }
        }
      },
      { deadlineMs: 30_000 },
    );
  }

  async function sleepThroughTakeover(name: Name): Promise<void> {
    await untilBothOwnPartitions();
    const before = await epochs(name);
    const rewards = await countRewards();
    const flow = startFlow();
    await eventually(async () => expect(await countRewards()).to.be.greaterThan(rewards + 20));
    await fallAsleep(name);
    // Partitions of the sleeper are served again only when the other has them.
    await eventually(async () => expect(await epochsNotRaisedSince(name, before)).to.be.empty, {
      deadlineMs: 60_000,
      everyMs: 50,
    });
    expect(processState(sleeper(name).pid), name).to.equal('T');
    sleeper(name).resume();
    await flow.stop();
    await buy(40);
    await everythingDecided(60);
    await sleeper(name).ready();
  }

  /** Whatever is decided and granted now, the one that slept did. */
  async function continueAlone(): Promise<void> {
    await Promise.all(names.map((name) => other(name).kill('SIGTERM')));
    await buy(60);
    await everythingDecided(60);
    for (const name of names) expect(other(name).isRunning(), name).to.equal(false);
  }

  /**
   * Outside a transaction, whose locks would hold everybody up for 5 s, and with records that
   * the broker has sent and nobody has read: they are the first thing it does when it wakes.
   */
  async function fallAsleep(name: Name): Promise<void> {
    const { pid } = sleeper(name);
    const kafkaPort = Number(stack.demo.kafkaBrokers.split(':').at(-1));
    await eventually(
      async () => {
        sleeper(name).pause();
        try {
          await eventually(() => expect(processState(pid)).to.equal('T'));
          expect(await sleepsInTransaction(db, name), 'in a transaction').to.equal(false);
          // No longer on a slow machine: it would be out of the group already.
          await eventually(() => expect(unreadBytes(pid, kafkaPort)).to.be.greaterThan(1_000), {
            deadlineMs: 1_500,
            factor: 1,
          });
        } catch (error) {
          sleeper(name).resume();
          throw error;
        }
      },
      { deadlineMs: 40_000, everyMs: 97 },
    );
  }

  /** About 50 purchases a second, each of another user and so over all partitions. */
  function startFlow(): { stop(): Promise<void> } {
    let flowing = true;
    const flow = (async () => {
      while (flowing) {
        await buy(1);
        await delay(15);
      }
    })();
    flow.catch(() => undefined);
    return {
      async stop() {
        flowing = false;
        await flow;
      },
    };
  }

  async function buy(count: number): Promise<void> {
    const bought = Array.from({ length: count }, () => {
      const invoiceId = `fence-${invoices.length}`;
      invoices.push(invoiceId);
      return customer.buy(invoiceId);
    });
    await Promise.all(bought);
  }

  /** Every purchase made so far has its reward, nothing waits and nothing is left to send. */
  async function everythingDecided(deadlineSeconds: number): Promise<void> {
    await eventually(
      async () => {
        expect(await countRewards(), 'rewards').to.equal(invoices.length);
        expect(await countOutboxRows(db), 'outbox rows').to.equal(0);
        expect(await readLag(stack.demo, db), 'lag').to.equal(0);
      },
      { deadlineMs: deadlineSeconds * 1_000, everyMs: 200 },
    );
  }

  async function countRewards(): Promise<number> {
    const { rows } = await db.query<{ count: number }>(
      `select count(*)::int as count from rewards_g1.entitlement
       where business_key::json ->> 2 like 'fence-%' and state = 'issued'`,
    );
    return rows[0]!.count;
  }

  async function epochs(name: Name): Promise<Map<string, number>> {
    const rows = await readPositions(db, schemas[name]);
    return new Map(rows.map(({ partition, epoch }) => [partition, epoch]));
  }

  async function epochsNotRaisedSince(
    name: Name,
    before: ReadonlyMap<string, number>,
  ): Promise<string[]> {
    const now = await epochs(name);
    return [...before].flatMap(([at, epoch]) => (now.get(at)! <= epoch ? [at] : []));
  }

  it('decided every event once, though two held its partition', async () => {
    const wanted = new Set(invoices);
    const undecided: string[] = [];
    let events = 0;
    for (const { value } of await readLog(stack.demo, 'events', eventCodec)) {
      if (value.eventType !== 'purchase-created') continue;
      if (!wanted.has(value.purchase.invoiceId ?? '')) continue;
      events += 1;
      const decision = currentDecision(decisions, value.eventId);
      if (decision?.outcome !== 'attributed') undecided.push(value.eventId);
    }
    expect(events).to.be.at.least(invoices.length);
    expect(undecided).to.deep.equal([]);
    expect(decidedTwice(decisions)).to.deep.equal([]);
  });

  it('granted every reward once: one issuance on the log and one in the table', async () => {
    const perReward = new Map<string, Set<string>>();
    for (const { value } of await readLog(stack.demo, 'issuances', issuanceCodec)) {
      const known = perReward.get(value.rewardId) ?? new Set();
      perReward.set(value.rewardId, known.add(JSON.stringify(value)));
    }
    const { rows } = await db.query<{ reward: string; issuances: number }>(
      `select e.reward_id as reward, count(i.issuance_id)::int as issuances
       from rewards_g1.entitlement e left join issuance.issuance i on i.reward_id = e.reward_id
       where e.business_key::json ->> 2 like 'fence-%' group by 1`,
    );
    expect(rows).to.have.length(invoices.length);
    expect(rows.filter((row) => row.issuances !== 1)).to.deep.equal([]);
    expect(rows.filter((row) => perReward.get(row.reward)?.size !== 1)).to.deep.equal([]);
  });

  it('fenced the sleeper, which woke with records in its hands', () => {
    for (const name of names) expect(wasFenced(name), name).to.equal(true);
  });

  it('never moved a position or an epoch back', () => {
    expect(watch.stepsBack).to.deep.equal([]);
  });

  it('left nothing behind when the one that slept worked on alone', async () => {
    for (const name of names) {
      expect(lastAssignment(sleeper(name)), name).to.equal(
        (await readPositions(db, schemas[name])).length,
      );
      expect(await sleeper(name).isReady(), name).to.equal(true);
    }
    await everythingDecided(10);
  });

  it('recovered by itself: all ready, nothing unread, nothing unsent', () =>
    expectStackRecovered(stack));
});

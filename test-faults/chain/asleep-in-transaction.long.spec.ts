import { setTimeout as delay } from 'node:timers/promises';
import type { PurchaseCreatedEvent } from '@tributary/contracts/event-record';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { sleepsInTransaction } from '../positions.ts';
import { processState } from '../stopped-process.ts';
import { findWrongBooks } from './books.ts';
import { codeOf, purchase, revisionOf, tenantOf } from './records.ts';
import { type Chain, startChain } from './start-chain.ts';

const tenantId = 't1';
const ucc = 'SleeperCode1';

/**
 * One of two processes falls asleep (SIGSTOP) between two statements of a transaction: the rows
 * that it has locked are those that the other one needs, since all rewards are one recipient's. The
 * server takes them from it after 5 s; a minute would be a minute in which nobody decides or pays.
 */
describe('a process that sleeps inside a transaction', function () {
  this.timeout(240_000);
  let chain: Chain;
  let dropped = 0;

  before(async () => {
    chain = await startChain({ attribution: 2, rewards: 2 });
    await chain.topics.append([
      tenantOf({ tenantId }),
      codeOf({ tenantId, ucc, campaignId: 'c1', productUserId: 'referrer' }),
      revisionOf({ tenantId, campaignId: 'c1', rules: [rule] }),
    ]);
  });
  after(() => chain?.stop());

  const rule = {
    ruleId: 'r1',
    trigger: 'purchase-created',
    recipient: 'referrer',
    effect: { kind: 'fixed', credits: '10' },
  } as const;

  for (const name of ['attribution', 'rewards'] as const) {
    it(`is in nobody's way for longer than some seconds (${name})`, async () => {
      const sleeper = chain[name].replicas[0]!;
      const flow = startFlow();
      try {
        await fallAsleep(name);
        const startedMs = performance.now();
        await eventually(
          async () => expect(await sleepsInTransaction(chain.db, name)).to.equal(false),
          { deadlineMs: 15_000 },
        );
        expect(performance.now() - startedMs).to.be.below(15_000);
        expect(processState(sleeper.pid)).to.equal('T');
      } finally {
        await flow.stop();
      }
      // Kafka gives its partitions to the other one, which has no lock to wait for.
      await chain.drained(90_000);
      sleeper.resume();
      await expectAllPaid();
    });
  }

  async function expectAllPaid(): Promise<void> {
    await chain.drained();
    await Promise.all([chain.attribution.ready(), chain.rewards.ready()]);
    const { rows } = await chain.db.query<{ rewards: number; issued: string }>(
      `select count(*)::int as rewards, trim_scale(sum(issued))::text as issued
       from rewards_g1.entitlement`,
    );
    expect(rows[0]).to.deep.equal({ rewards: dropped, issued: String(dropped * 10) });
    expect(await findWrongBooks(chain.db)).to.deep.equal([]);
  }

  async function fallAsleep(name: 'attribution' | 'rewards'): Promise<void> {
    const { pid } = chain[name].replicas[0]!;
    const pause = (signal: 'pause' | 'resume') => chain[name].replicas[0]![signal]();
    await eventually(
      async () => {
        pause('pause');
        try {
          await eventually(() => expect(processState(pid)).to.equal('T'));
          expect(await sleepsInTransaction(chain.db, name), 'in a transaction').to.equal(true);
        } catch (error) {
          pause('resume');
          throw error;
        }
      },
      { deadlineMs: 60_000, everyMs: 37 },
    );
  }

  /** Purchases of ever new users, so that all partitions have some. */
  function startFlow(): { stop(): Promise<void> } {
    let flowing = true;
    const flow = (async () => {
      while (flowing) {
        await chain.topics.append(Array.from({ length: 20 }, () => bought(dropped++)));
        await delay(20);
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

  function bought(n: number): PurchaseCreatedEvent {
    const occurredAt = new Date(Date.UTC(2026, 2, 1) + n * 1_000).toISOString();
    const payment = { invoiceId: `inv-${n}`, currency: 'EUR', amount: 4_900 };
    return purchase({ n, userId: `user-${n}`, ucc, occurredAt, payment });
  }

  it('recovered by itself: all ready, nothing unread, nothing unsent', () => chain.recovered());
});

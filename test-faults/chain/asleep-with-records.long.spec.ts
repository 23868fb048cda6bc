import { setTimeout as delay } from 'node:timers/promises';
import { decisionCodec } from '@tributary/contracts/decision-record';
import { rewardCodec } from '@tributary/contracts/reward-record';
import { unpackEntries } from '@tributary/event-log/outbox-rows';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { processState } from '../stopped-process.ts';
import { findWrongBooks } from './books.ts';
import { differences, readPublished, readState } from './current-state.ts';
import { codeOf, purchase, refund, revisionOf, tenantOf } from './records.ts';
import { type Chain, startChain } from './start-chain.ts';

type Name = 'attribution' | 'rewards';
/** A decision or a reward. */
type Published = { decisionId?: string; rewardId?: string; eventId: string; version: number };

const tenantId = 't1';
const referrers = 24;

/**
 * One of two processes falls asleep (SIGSTOP) between a commit and its append, so that it alone has
 * in memory what is to be sent (decision 34). The other one sends it from the table, takes the
 * partitions over, and makes later versions of the same entities. Whatever the first one sends when
 * it wakes comes too late, and changes nothing.
 */
describe('a process that sleeps with committed records in memory', function () {
  this.timeout(300_000);
  let chain: Chain;
  let bought = 0;

  before(async () => {
    chain = await startChain({ attribution: 2, rewards: 2 });
    await chain.topics.append([
      tenantOf({ tenantId }),
      revisionOf({ tenantId, campaignId: 'c1', rules: [rule] }),
      ...Array.from({ length: referrers }, (_, n) =>
        codeOf({ tenantId, ucc: uccOf(n), campaignId: 'c1', productUserId: `referrer-${n}` }),
      ),
    ]);
  });
  after(() => chain?.stop());

  for (const name of ['attribution', 'rewards'] as const) {
    it(`leaves them to the other one, and overtakes nothing when it wakes (${name})`, async () => {
      const sleeper = chain[name].replicas[0]!;
      const unsent = await fallAsleepUnder(startFlow(), name);
      await eventually(
        async () => {
          const sent = await versionsOnLog(name);
          for (const record of unsent) expect(sent).to.include(versionOf(record));
        },
        { deadlineMs: 30_000 },
      );
      await chain.topics.append(unsent.map(refundOf));
      await chain.drained(90_000);
      expect(processState(sleeper.pid)).to.equal('T');
      const expected = await readState(chain.db);

      sleeper.resume();
      await chain[name].ready();
      await chain.drained();
      expect(differences(await readState(chain.db), expected)).to.deep.equal([]);
      expect(differences(await readPublished(chain.topics), expected)).to.deep.equal([]);
      expect(await findWrongBooks(chain.db)).to.deep.equal([]);
    });
  }

  /** With records committed that are not on the log; says which. */
  async function fallAsleepUnder(
    flow: ReturnType<typeof startFlow>,
    name: Name,
  ): Promise<Published[]> {
    try {
      return await fallAsleep(name);
    } finally {
      await flow.stop();
    }
  }

  async function fallAsleep(name: Name): Promise<Published[]> {
    const sleeper = chain[name].replicas[0]!;
    return eventually(
      async () => {
        sleeper.pause();
        try {
          await eventually(() => expect(processState(sleeper.pid)).to.equal('T'));
          const rows = await readRows(name);
          expect(rows.size, 'rows that nobody sends').to.be.greaterThan(0);
          // Those of the process that is awake leave within milliseconds.
          await delay(300);
          const stayed = await readRows(name);
          const sent = await versionsOnLog(name);
          const unsent = [...rows].flatMap(([id, records]) =>
            stayed.has(id) ? records.filter((record) => !sent.has(versionOf(record))) : [],
          );
          expect(unsent.length, 'records that nobody sends').to.be.greaterThan(0);
          return unsent;
        } catch (error) {
          sleeper.resume();
          throw error;
        }
      },
      { deadlineMs: 120_000, everyMs: 37 },
    );
  }

  async function readRows(name: Name): Promise<Map<string, Published[]>> {
    const { rows } = await chain.db.query<{ id: string; records: Buffer }>(
      `select id, records from ${name}_g1.outbox`,
    );
    return new Map(
      rows.map(({ id, records }) => [
        id,
        unpackEntries(records).map(({ value }) => JSON.parse(value!) as Published),
      ]),
    );
  }

  async function versionsOnLog(name: Name): Promise<Set<string>> {
    const records: Published[] =
      name === 'attribution'
        ? await chain.topics.read('attributions', decisionCodec)
        : await chain.topics.read('rewards', rewardCodec);
    return new Set(records.map(versionOf));
  }

  /** Purchases of ever new users, so that all partitions have some. */
  function startFlow(): { stop(): Promise<void> } {
    let flowing = true;
    const flow = (async () => {
      while (flowing) {
        await chain.topics.append(Array.from({ length: 5 }, () => purchase(detailsOf(bought++))));
        await delay(10);
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

  it('recovered by itself: all ready, nothing unread, nothing unsent', () => chain.recovered());
});

const rule = {
  ruleId: 'r1',
  trigger: 'purchase-created',
  recipient: 'referrer',
  effect: { kind: 'fixed', credits: '10' },
} as const;

function uccOf(n: number): string {
  return `SleeperCode${String(n % referrers).padStart(2, '0')}`;
}

function detailsOf(n: number) {
  return {
    ...{ n, userId: `user-${n}`, ucc: uccOf(n) },
    occurredAt: new Date(Date.UTC(2026, 2, 1) + n * 1_000).toISOString(),
    payment: { invoiceId: `inv-${n}`, currency: 'EUR', amount: 4_900 },
  };
}

/** A refund in full of the purchase that it is about. */
function refundOf({ eventId }: Published) {
  const n = Number(eventId.slice(-12));
  return refund({ ...detailsOf(n), n: 1_000_000 + n });
}

function versionOf({ decisionId, rewardId, version }: Published): string {
  return `${decisionId ?? rewardId} ${version}`;
}

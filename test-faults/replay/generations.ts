import { setTimeout as delay } from 'node:timers/promises';
import type { EventRecord } from '@tributary/contracts/event-record';
import { issuanceCodec } from '@tributary/contracts/issuance-record';
import { silentLogger } from '@tributary/event-log/testing';
import { createTopics, topicSpecs } from '@tributary/event-log/topic-admin';
import { addGeneration } from '@tributary/generations/registry';
import { createPool } from '@tributary/runtime/postgres';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import type pg from 'pg';
import type { SwapDeps } from '../../services/replay/src/commands/generations/swap.ts';
import type { JobContext } from '../../services/replay/src/commands/job-kind.ts';
import { attributionBacklog, rewardsBacklog } from '../chain/backlog.ts';
import { findWrongBooks } from '../chain/books.ts';
import { differences, readState } from '../chain/current-state.ts';
import { codeOf, purchase, refund, revisionOf, signup, tenantOf } from '../chain/records.ts';
import { type Chain, startChain } from '../chain/start-chain.ts';

/** Attribution and rewards as processes that run every generation there is, and a flow of facts. */
export type Generations = {
  chain: Chain;
  deps: SwapDeps;
  /** Appended so far. */
  events: EventRecord[];
  /** Steadily, until the returned function is called. */
  flow(perSecond: number): () => Promise<void>;
  /** Makes its topics and registers it. */
  build(generation: number): Promise<void>;
  /** All that must be true of decisions and money, whatever happened; `live` is that generation. */
  evaluate(live: number, others?: readonly number[]): Promise<void>;
  stop(): Promise<void>;
};

const tenantId = 't1';
const campaignId = 'c1';
const referrers = 5;

export async function startGenerations(
  replicas: { attribution?: number; rewards?: number } = {},
): Promise<Generations> {
  const chain = await startChain(replicas, { TRIBUTARY_GENERATION: '' });
  const pool = createPool(
    { url: chain.postgresUrl, schema: 'generations', poolSize: 6 },
    { applicationName: 'test generations', logger: silentLogger },
  );
  const { kafka, wiring } = chain.topics;
  const deps: SwapDeps = {
    pool,
    kafka,
    topics: wiring,
    // No portal runs here.
    everywhere: [],
  };
  const events: EventRecord[] = [];
  await chain.topics.append([tenantOf({ tenantId }), revision(), ...codes()]);

  return {
    chain,
    deps,
    events,

    flow(perSecond) {
      const happening = { over: false };
      const flowing = flowUntil(happening);
      async function flowUntil(state: { over: boolean }): Promise<void> {
        const [startedAt, before] = [performance.now(), events.length];
        while (!state.over) {
          const part = Array.from({ length: 10 }, (_, i) => makeEvent(events.length + i));
          await chain.topics.append(part);
          events.push(...part);
          const sent = events.length - before;
          const dueIn = startedAt + (sent / perSecond) * 1_000 - performance.now();
          if (dueIn > 1) await delay(dueIn);
        }
      }
      return async () => {
        happening.over = true;
        await flowing;
      };
    },

    async build(generation) {
      const specs = topicSpecs({ ...wiring, generation }, ['attributions', 'rewards']);
      await createTopics({ kafka, topics: specs, logger: silentLogger });
      await addGeneration(pool, { number: generation, foldVersion: 2 });
    },

    async evaluate(live, others = []) {
      const { db, topics } = chain;
      await chain.drained(120_000, live);
      const state = await readState(db, live);
      expect([...state.decisions.keys()].sort(), 'events decided').to.deep.equal(
        events.map(({ eventId }) => eventId).sort(),
      );
      for (const other of others) {
        await settled(chain, other);
        expect(differences(state, await readState(db, other))).to.deep.equal([]);
      }
      expect(await entitledOf(db, live), 'entitled').to.equal(entitledBy(events));
      expect(await findWrongBooks(db, live)).to.deep.equal([]);
      const { rows } = await db.query(
        'select reward_id from issuance.issuance group by 1 having count(*) > 1',
      );
      expect(rows, 'issued twice').to.deep.equal([]);
      const onLog = new Map<string, Set<string>>();
      for (const fact of await topics.read('issuances', issuanceCodec)) {
        if (fact.type !== 'issued') continue;
        onLog.set(fact.rewardId, (onLog.get(fact.rewardId) ?? new Set()).add(fact.issuanceId));
      }
      expect([...onLog.values()].filter((ids) => ids.size > 1)).to.deep.equal([]);
      const inTables = await db.query<{ count: number }>(
        'select count(*)::int as count from issuance.issuance',
      );
      expect(onLog.size, 'issuances on the log').to.equal(inTables.rows[0]?.count);
    },

    async stop() {
      await pool.end();
      await chain.stop();
    },
  };
}

/** What a job is given; nothing is kept. */
export function testContext(
  jobId: string,
  onLine: (line: string) => void = () => undefined,
): JobContext {
  return {
    jobId,
    attempt: 1,
    dir: '/nonexistent',
    signal: new AbortController().signal,
    logger: silentLogger,
    progress: () => undefined,
    note: (line) => Promise.resolve(onLine(line)),
  };
}

/** One that is not live has rewards that are due for ever; all else comes to an end. */
async function settled({ topics, db }: Chain, generation: number): Promise<void> {
  await eventually(
    async () => {
      const first = await attributionBacklog(db, topics, generation);
      const second = await rewardsBacklog(db, topics, generation);
      expect([first.lag, first.outbox, first.work, second.lag, second.outbox]).to.deep.equal([
        0, 0, 0, 0, 0,
      ]);
    },
    { deadlineMs: 120_000, everyMs: 200 },
  );
}

async function entitledOf(db: pg.ClientBase, generation: number): Promise<number> {
  const { rows } = await db.query<{ entitled: string }>(
    `select coalesce(sum(entitled), 0) as entitled from rewards_g${generation}.entitlement`,
  );
  return Number(rows[0]?.entitled);
}

function entitledBy(events: readonly EventRecord[]): number {
  const of = (type: EventRecord['eventType']) =>
    events.filter(({ eventType }) => eventType === type).length;
  return of('signup-created') * 2 + (of('purchase-created') - of('purchase-refunded')) * 10;
}

/** Out of ten: two signups, seven purchases, one full refund of the purchase before it. */
function makeEvent(n: number): EventRecord {
  const user = Math.floor(n / 10);
  const details = {
    n,
    tenantId,
    userId: `user-${user}-${n % 10 === 0 ? 'a' : 'b'}`,
    ucc: uccOf(user % referrers),
    occurredAt: new Date(Date.UTC(2026, 2, 1) + n * 1_000).toISOString(),
  };
  if (n % 10 < 2) return signup(details);
  const payment = { invoiceId: `inv-${n}`, currency: 'EUR', amount: 4_900 };
  if (n % 10 === 9)
    return refund({ ...details, payment: { ...payment, invoiceId: `inv-${n - 1}` } });
  return purchase({ ...details, payment });
}

function uccOf(referrer: number): string {
  return `Rebalance0${referrer}`;
}

function codes() {
  return Array.from({ length: referrers }, (_, referrer) =>
    codeOf({ tenantId, ucc: uccOf(referrer), campaignId, productUserId: `referrer-${referrer}` }),
  );
}

function revision() {
  return revisionOf({
    tenantId,
    campaignId,
    rules: [
      {
        ruleId: 'signup',
        trigger: 'signup-created',
        recipient: 'referrer',
        effect: { kind: 'fixed', credits: '2' },
      },
      {
        ruleId: 'purchase',
        trigger: 'purchase-created',
        recipient: 'referrer',
        effect: { kind: 'fixed', credits: '10' },
      },
    ],
  });
}

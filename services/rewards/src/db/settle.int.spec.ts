import { advancePositions, claimPositions } from '@tributary/event-log/position';
import { takeOutbox } from '@tributary/event-log/testing';
import { inTransaction } from '@tributary/runtime/postgres';
import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { patiently } from '@tributary/testkit/patience';
import { expect } from 'chai';
import { purchaseDecision, revisionOf } from '@tributary/rewards-fold/testing/records';
import { type Parts, startParts } from '../testing/parts.ts';
import { createSettle, type Settle } from './settle.ts';

const { signal } = new AbortController();

describe('the moment at which rewards tells its state', () => {
  let database: TestDatabase;
  let parts: Parts;
  let other: Parts;
  let settle: Settle;
  /** Issuances on the log. */
  let issuanceEnd = 0n;
  let decisions = 0;

  before(async () => {
    database = await createDatabase();
    parts = await startParts({ url: database.url });
    other = await startParts({ url: database.url });
    settle = settleOf();
    await parts.publish(revisionOf());
    await inTransaction(parts.pool, (tx) =>
      claimPositions(tx, 'rewards', [
        { topic: 'attributions', partition: 0 },
        { topic: 'issuances', partition: 0 },
      ]),
    );
  });
  after(async () => {
    await parts.stop();
    await other.stop();
    await database.drop();
  });

  function settleOf(patience = { reachMs: patiently(8_000), holdMs: patiently(4_000) }): Settle {
    const readIssuanceEnds = () =>
      Promise.resolve(new Map([['issuances/0', { high: issuanceEnd }]]));
    return createSettle({ pool: parts.pool, name: 'rewards', readIssuanceEnds, ...patience });
  }

  async function advance(topic: string, by: bigint): Promise<void> {
    await inTransaction(parts.pool, async (tx) => {
      const { rows } = await tx.query<{ next: string; epoch: string }>(
        'select next_offset as next, epoch from projection_position where topic = $1',
        [topic],
      );
      const from = { next: BigInt(rows[0]!.next), epoch: BigInt(rows[0]!.epoch), digest: null };
      const to = { next: from.next + by, digest: Buffer.from('x') };
      const moved = await advancePositions(tx, 'rewards', [{ topic, partition: 0, from, to }]);
      expect(moved).to.equal(true);
    });
  }

  async function decide(): Promise<void> {
    decisions += 1;
    await parts.decide(purchaseDecision(decisions, { referrerId: `ref_${decisions % 5}` }));
    await parts.pool.query('delete from outbox');
    await advance('attributions', 1n);
  }

  /** As the relay and the projection do it: what was issued goes to the log and is read back. */
  async function carry(): Promise<void> {
    const issued = BigInt((await takeOutbox(parts.pool, 'issuance_outbox')).length);
    issuanceEnd += issued;
    await parts.pool.query('delete from outbox');
    if (issued > 0n) await advance('issuances', issued);
  }

  async function books(): Promise<{ entitled: number; issued: number; facts: number }> {
    const { rows } = await other.pool.query<Record<'entitled' | 'issued' | 'facts', string>>(
      `select (select count(*) from entitlement) as entitled,
         (select coalesce(sum(issuances), 0) from entitlement) as issued,
         (select count(*) from issuance) as facts`,
    );
    const [row] = rows;
    const [entitled, issued, facts] = [row?.entitled, row?.issued, row?.facts].map(Number);
    return { entitled: entitled!, issued: issued!, facts: facts! };
  }

  const reachedBy = (n: number) => ({ 'attributions/0': String(n) });

  it('comes when what attribution decided is folded, and every issuance is on the log and read', async () => {
    let going = true;
    const work = [
      (async () => {
        while (going) await other.releaseOnce();
      })(),
      (async () => {
        while (going) await carry();
      })(),
    ];
    try {
      for (let round = 0; round < 15; round += 1) {
        const folding = decide();
        const result = await settle(
          reachedBy(decisions),
          async () => ({ ...(await books()), onLog: issuanceEnd }),
          signal,
        );
        await folding;
        if (result.outcome !== 'settled') throw new Error(result.detail);
        const { entitled, issued, facts, onLog } = result.value;
        expect(entitled).to.equal(decisions);
        expect(issued, 'counted').to.equal(facts);
        expect(BigInt(facts), 'on the log').to.equal(onLog);
      }
    } finally {
      going = false;
      await Promise.all(work);
    }
    await parts.releaseAll();
    await carry();
  });

  it('keeps releases and operators waiting until then, and not after', async () => {
    await decide();
    let releasing: Promise<unknown> | undefined;
    const result = await settle(
      reachedBy(decisions),
      async () => {
        releasing = other.releaseOnce();
        await eventually(async () => expect(await waiting()).to.equal(1));
        return books();
      },
      signal,
    );
    expect(result).to.have.nested.property('value.issued', decisions - 1);
    expect(await releasing).to.include({ outcome: 'released' });
    expect((await books()).issued).to.equal(decisions);
    await carry();
  });

  it('is reached although releases hold the live generation without a pause', async () => {
    let going = true;
    const holding = [0, 1, 2].map(async () => {
      while (going) {
        await inTransaction(other.pool, async (tx) => {
          await tx.query('select from live_generation for share');
          await tx.query('select pg_sleep(0.05)');
        });
      }
    });
    try {
      const result = await settle(reachedBy(decisions), books, signal);
      expect(result.outcome).to.equal('settled');
    } finally {
      going = false;
      await Promise.all(holding);
    }
  });

  it('says what is missing, and lets go', async () => {
    const impatient = settleOf({ reachMs: 50, holdMs: 200 });
    const missing = async (reached: number) => {
      const result = await impatient(reachedBy(reached), books, signal);
      return result.outcome === 'not-now' ? result.detail : result.outcome;
    };
    expect(await missing(decisions + 3)).to.include('3 decisions are not read yet');
    await parts.decide(purchaseDecision(900, { referrerId: 'waiting', campaignRevision: 7 }));
    expect(await missing(decisions)).to.include('1 decisions wait for their campaign revision');
    await parts.publish(revisionOf({ revision: 7 }));
    await parts.sweep();
    expect(await missing(decisions)).to.include('records of rewards are not on the log');
    await parts.pool.query('delete from outbox');
    expect((await parts.releaseOnce()).outcome).to.equal('released');
    await parts.pool.query('delete from outbox');
    expect(await missing(decisions)).to.include('1 issuances are not on the log yet');
    issuanceEnd += BigInt((await takeOutbox(parts.pool, 'issuance_outbox')).length);
    expect(await missing(decisions)).to.include('1 issuances are not read back yet');
    await advance('issuances', 1n);
    expect(await missing(decisions)).to.equal('settled');
    expect((await other.releaseOnce()).outcome).to.equal('nothing-due');
  });

  it('says at once that it is far behind, while attribution stands still', async () => {
    const startedMs = performance.now();
    const result = await settle(reachedBy(decisions + 5_001), books, signal);
    expect(result).to.have.property('detail').that.includes('5001 decisions are not read yet');
    expect(performance.now() - startedMs).to.be.lessThan(2_000);
  });

  async function waiting(): Promise<number> {
    const { rows } = await parts.pool.query<{ count: string }>(
      `select count(*) as count from pg_locks where not granted
         and relation = 'generations.live_generation'::regclass
         and database = (select oid from pg_database where datname = current_database())`,
    );
    return Number(rows[0]?.count);
  }
});

import { randomUUID } from 'node:crypto';
import type { EventRecord } from '@tributary/contracts/event-record';
import { findGeneration } from '@tributary/generations/registry';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import { createRebuildKind } from '../../services/replay/src/commands/generations/rebuild.ts';
import {
  createRollbackKind,
  createSwapKind,
} from '../../services/replay/src/commands/generations/swap-kinds.ts';
import type { Report } from '@tributary/contracts/admin/replay-results';
import { findWrongBooks } from '../chain/books.ts';
import { codeOf, purchase, purchaseRevisions, tenantOf } from '../chain/records.ts';
import { type Generations, startGenerations, testContext } from './generations.ts';
import { type Replay, startReplay } from './start-replay.ts';

/**
 * A deployment that folds by the first rules goes on by them, whatever release runs, until an
 * operator has seen what the second would change of its history, builds a generation that folds by
 * them, and swaps to it; and goes back to them by a rollback (decision 16).
 */
const tenantId = 'upgraded';
const ucc = 'Upgraded001';
const campaignId = 'yearly';
const revision = purchaseRevisions({ tenantId, campaignId });

describe('generations of two versions of the fold', function () {
  this.timeout(240_000);
  let world: Generations;
  let replay: Replay;

  before(async () => {
    world = await startGenerations();
    const { chain, deps } = world;
    // As the registry of an older release is after the upgrade; nothing has been folded yet.
    await chain.attribution.scale(0);
    await deps.pool.query('update generation set fold_version = 1');
    await chain.attribution.scale(1);
    await chain.topics.append([
      tenantOf({ tenantId }),
      revision(1, '10'),
      codeOf({ tenantId, ucc, campaignId, productUserId: 'anna' }),
    ]);
    await chain.topics.append(facts());
    await chain.drained();
    await chain.topics.append([revision(2, '4', '2026-06-01T00:00:00.000Z')]);
    await chain.drained();
    replay = await startReplay(chain);
  });
  after(async () => {
    await replay?.stop();
    await world?.stop();
  });

  async function anna(generation: number): Promise<{ entitled: number; issued: number }> {
    const { rows } = await world.chain.db.query<{ entitled: number; issued: number }>(
      `select (select coalesce(sum(entitled), 0)::int from rewards_g${generation}.entitlement
                 where recipient_id = 'anna') as entitled,
         (select coalesce(sum(credits), 0)::int from issuance.issuance
            where recipient_id = 'anna') as issued`,
    );
    return rows[0]!;
  }

  async function resultOf<T>(kind: string, params: object): Promise<T> {
    const { jobId } = await replay.begin(kind, params);
    const job = await replay.ended(jobId, 180_000);
    expect(job.status, JSON.stringify(job)).to.equal('done');
    return job.result as T;
  }

  const verify = (params: object = {}) =>
    resultOf<{ outcome: string; generation: number }>('verify', params);

  it('goes on by the first rules: one payment for ever, 2090 by the latest revision', async () => {
    // The payment of January, and the one of 2090 by the second revision.
    expect(await anna(1)).to.deep.equal({ entitled: 14, issued: 20 });
    expect(await verify()).to.include({ outcome: 'identical', generation: 1 });
  });

  it('shows what the second would change, and changes nothing', async () => {
    const report = await resultOf<Report>('preview', { foldVersion: 2 });
    expect(report).to.include({ generation: 1, liveFoldVersion: 1, foldVersion: 2 });
    expect(report.counts).to.include({ new: 1, withdrawn: 0, changed: 1 });
    expect(report.credits).to.include({ before: '14', after: '30', new: '10', increased: '6' });
    expect(report.largest[0]?.explanationAfter).to.not.be.empty;
    expect(await resultOf<Report>('preview', { tenantId, foldVersion: 1 })).to.have.nested.property(
      'counts.unchanged',
      2,
    );
    expect(await anna(1)).to.deep.equal({ entitled: 14, issued: 20 });
    expect(await verify()).to.include({ outcome: 'identical', generation: 1 });
  });

  it('refuses a version that this release does not know', async () => {
    const refused = await replay.begin('preview', { foldVersion: 3 }).catch(String);
    expect(refused).to.contain('foldVersion');
  });

  it('builds the next generation by the second, as the preview said', async () => {
    // In this process: no portal is there, whose read model a job of the service would wait for.
    const rebuild = createRebuildKind({
      ...world.deps,
      ...{ replication: 1, minInsync: 1 },
      async compareWithLog(_context, generation) {
        const result = await verify({ generation });
        return { identical: result.outcome === 'identical', result };
      },
      reportAgainstLive: (_context, { foldVersion }) => resultOf('preview', { foldVersion }),
    });
    const built = await rebuild.run(testContext(randomUUID()), {});
    expect(built).to.include({ outcome: 'ready', generation: 2 });
    expect(built).to.have.nested.property('report.credits.after', '30');
    const { pool } = world.deps;
    expect((await findGeneration(pool, 1))?.foldVersion).to.equal(1);
    expect((await findGeneration(pool, 2))?.foldVersion).to.equal(2);
    for (const generation of [1, 2]) {
      expect(await verify({ generation })).to.include({ outcome: 'identical', generation });
    }
  });

  it('pays what is missing after the swap, and nothing twice', async () => {
    await createSwapKind(world.deps).run(testContext(randomUUID()), { to: 2 });
    await world.chain.drained(120_000, 2);
    expect(await anna(2)).to.deep.equal({ entitled: 30, issued: 30 });
    expect(await verify()).to.include({ outcome: 'identical', generation: 2 });
    expect(await findWrongBooks(world.chain.db, 2)).to.deep.equal([]);
  });

  it('goes back to the first rules by a rollback', async () => {
    await createRollbackKind(world.deps).run(testContext(randomUUID()), {});
    await world.chain.drained(120_000, 1);
    expect(await anna(1)).to.deep.equal({ entitled: 14, issued: 30 });
    expect(await verify()).to.include({ outcome: 'identical', generation: 1 });
    expect(await findWrongBooks(world.chain.db, 1)).to.deep.equal([]);
  });

  it('is recovered by the rules that it had when its tables are lost', async () => {
    // Its own recovery would do the same, and wait for a read model first.
    await replay.stop();
    const { pool } = world.deps;
    await world.chain.db.query('drop schema attribution_g1, rewards_g1 cascade');
    await eventually(async () => expect((await findGeneration(pool, 1))?.status).to.equal('lost'), {
      deadlineMs: 60_000,
    });
    const recovery = createRebuildKind({
      ...world.deps,
      ...{ replication: 1, minInsync: 1 },
      compareWithLog: () => Promise.resolve({ identical: true, result: undefined }),
    });
    const { outcome, generation } = await recovery.run(testContext(randomUUID()), {
      recover: true,
    });
    expect(outcome).to.equal('recovered');
    expect((await findGeneration(pool, generation))?.foldVersion).to.equal(1);
    await world.chain.drained(120_000, generation);
    expect(await anna(generation)).to.deep.equal({ entitled: 14, issued: 30 });
  });
});

/** One payment in January and in February, as the legacy endpoint stores them; and one of 2090. */
function facts(): EventRecord[] {
  const payment = { currency: 'EUR', amount: 4_900 };
  const monthly = (n: number, receivedAt: string) => ({
    ...purchase({
      ...{ n, tenantId, userId: 'monthly', ucc, source: 'legacy', payment },
      ...{ occurredAt: receivedAt, receivedAt },
    }),
    occurredAtRaw: '',
  });
  return [
    monthly(9_001, '2026-01-15T12:00:00.000Z'),
    monthly(9_002, '2026-02-14T12:00:00.000Z'),
    purchase({
      ...{ n: 9_003, tenantId, userId: 'clock', ucc, payment: { ...payment, invoiceId: 'inv' } },
      ...{ occurredAt: '2090-01-01T00:00:00Z', receivedAt: '2026-03-01T12:00:00.000Z' },
    }),
  ];
}

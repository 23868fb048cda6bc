import type { CampaignRevisionRecord } from '@tributary/contracts/catalog-record';
import type { DecisionRecord } from '@tributary/contracts/decision-record';
import { createLogger } from '@tributary/runtime/logger';
import { isTransientPostgresError } from '@tributary/runtime/postgres';
import { countStatements } from '@tributary/testkit/count-statements';
import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import fc from 'fast-check';
import { entitlementColumns, type EntitlementRow, fromRow } from '../db/entitlement-row.ts';
import { foldClaims } from '@tributary/rewards-fold/fold-claims';
import type { Entitlement } from '@tributary/rewards-fold/entitlement';
import { LookedTooEarly } from '@tributary/rewards-fold/fold-changes';
import type { Touch } from '@tributary/rewards-fold/fold-tables';
import { sortKeyOf } from '@tributary/rewards-fold/sort-key';
import { createRevisions } from './revisions.ts';
import { createSweeper } from '../workers/sweeper.ts';
import {
  limitHistories,
  revisions,
  shuffledRecords,
} from '@tributary/rewards-fold/testing/arbitrary';
import {
  currentOf,
  reportedRewards,
  reportedTargets,
} from '@tributary/rewards-fold/testing/compare';
import { type Parts, startParts } from '../testing/parts.ts';
import { asDuplicate, purchaseDecision, revisionOf } from '@tributary/rewards-fold/testing/records';

describe('rewards folded on Postgres', function () {
  this.timeout(90_000);
  let database: TestDatabase;
  let parts: Parts;
  let other: Parts;

  before(async () => {
    database = await createDatabase();
    parts = await startParts({ url: database.url });
    other = await startParts({ url: database.url });
  });

  after(async () => {
    await parts.stop();
    await other.stop();
    await database.drop();
  });

  it('are those of a fold from scratch, with two processes at once', async () => {
    const histories = [
      ...fc.sample(fc.record({ revisions, records: shuffledRecords }), { numRuns: 40 }),
      ...fc.sample(limitHistories, { numRuns: 10 }),
    ];
    const until = Date.now() + 40_000;
    for (const [i, history] of histories.entries()) {
      if (Date.now() > until) break;
      await tryHistory(`h${i}`, history);
    }
    await parts.checkBooks();
  });

  async function tryHistory(
    tenantId: string,
    history: { revisions: CampaignRevisionRecord[]; records: DecisionRecord[] },
  ): Promise<void> {
    const published = history.revisions.map((revision) => ({ ...revision, tenantId }));
    const records = history.records.map((record) => ofTenant(record, tenantId));
    await parts.publish(...published.slice(0, 1));
    // What one user's partition brings stays in order; the two processes race each other.
    const [mine, theirs] = [0, 1].map((half) =>
      records.filter((record) => record.newUserId.length % 2 === half || record.newUserId === ''),
    );
    await Promise.all([
      inBatches(parts, mine ?? []),
      inBatches(other, theirs ?? []),
      other.publish(...published.slice(1)),
    ]);
    await parts.sweep();
    expect(await storedOf(tenantId), tenantId).to.deep.equal(wantedOf(published, records));
  }

  async function inBatches(process: Parts, records: readonly DecisionRecord[]): Promise<void> {
    for (let i = 0; i < records.length; i += 3) {
      const batch = records.slice(i, i + 3);
      await decideAtLast(process, batch);
    }
  }

  /** As the projection does: what another transaction was in the way of is tried again. */
  async function decideAtLast(process: Parts, batch: readonly DecisionRecord[]): Promise<void> {
    await process.decide(...batch).catch((error: unknown) => {
      if (error instanceof LookedTooEarly) return decideAtLast(process, batch);
      throw error;
    });
  }

  async function storedOf(tenantId: string): Promise<string[]> {
    return reportedRewards(await rewardsOf(tenantId));
  }

  async function rewardsOf(tenantId: string): Promise<Entitlement[]> {
    const { rows } = await parts.pool.query<EntitlementRow>(
      `select ${entitlementColumns.join(', ')} from entitlement where tenant_id = $1`,
      [tenantId],
    );
    return rows.map(fromRow);
  }

  function wantedOf(
    published: readonly CampaignRevisionRecord[],
    records: readonly DecisionRecord[],
  ): string[] {
    const claims = currentOf(records).map((decision) => {
      const revision = published.find(
        (r) => r.campaignId === decision.campaignId && r.revision === decision.campaignRevision,
      );
      return revision ? { decision, revision } : { decision };
    });
    return reportedTargets(foldClaims(claims));
  }

  it('folds again what a fold that threw had to leave, with its limits', async () => {
    const ill = new Set(['anna']);
    const { foldRecipient } = await import('@tributary/rewards-fold/fold-recipient');
    const poisoned = await startParts({
      url: database.url,
      fold: (input) => {
        if (ill.has(input.recipient.recipientId)) throw new Error('poison');
        return foldRecipient(input);
      },
    });
    const tenantId = 'ill';
    const [rule] = revisionOf().rules;
    const limits = { perRecipient: [{ period: 'month' as const, credits: '15' }] };
    const published = [{ ...revisionOf({ rules: [{ ...rule!, limits }] }), tenantId }];
    const records = [3, 1, 2].map((n) => ofTenant(purchaseDecision(n), tenantId));
    await parts.publish(...published);
    await parts.decide(records[0]!);
    await poisoned.decide(records[1]!);
    await parts.decide(records[2]!);
    ill.clear();
    await parts.pool.query('update recipient set retry_at = now() where tenant_id = $1', [
      tenantId,
    ]);
    await poisoned.sweep();
    expect(await storedOf(tenantId)).to.deep.equal(wantedOf(published, records));

    ill.add('anna');
    const gone = { ...asDuplicate(records[1]!, 'other'), version: 2 };
    await poisoned.decide(gone);
    ill.clear();
    await parts.pool.query('update recipient set retry_at = now() where tenant_id = $1', [
      tenantId,
    ]);
    await poisoned.sweep();
    expect(await storedOf(tenantId)).to.deep.equal(wantedOf(published, [...records, gone]));
    const withdrawn = (await rewardsOf(tenantId)).find(
      ({ cause }) => cause?.decisionId === gone.decisionId,
    );
    expect(withdrawn?.explanation.at(-1)).to.equal(
      'The entitlement of 10 credits is withdrawn: ' +
        'the event is now not-attributed (duplicate), a duplicate of event other.',
    );
    await poisoned.stop();
  });

  it('tries undecided recipients again though waiting decisions cannot be folded', async () => {
    const tenantId = 'stuck';
    await parts.decide(ofTenant(purchaseDecision(1), tenantId));
    await parts.publish({ ...revisionOf(), tenantId });
    await parts.pool.query(
      `with ill as (
         insert into recipient (tenant_id, recipient_id, undecided_reason, retry_at)
         values ($1, 'bert', 'internal', now()) returning tenant_id, recipient_id
       )
       insert into unfolded select tenant_id, recipient_id, 'fact' from ill`,
      [tenantId],
    );
    const tried: Touch[] = [];
    const sweeper = createSweeper({
      pool: parts.pool,
      logger: createLogger({ service: 'test', level: 'silent' }),
      revisions: createRevisions(),
      foldFacts: (_, { changes, touches }) => {
        if (changes.length > 0) throw new Error('poison');
        tried.push(...touches);
        return Promise.resolve({ failed: [] });
      },
      onFolded: () => undefined,
    });
    await sweeper.sweep();
    expect(tried).to.deep.equal([{ tenantId, recipientId: 'bert', businessKey: 'fact' }]);
    await parts.sweep();
    expect(await storedOf(tenantId)).to.have.length(1);
  });

  for (const by of ['a batch', 'the sweeper'] as const) {
    it(`asks to be tried again when new users may have to be locked (${by})`, async () => {
      const tenantId = `early ${by}`;
      const [rule] = revisionOf().rules;
      const both = { ...rule!, recipient: 'both' as const };
      const published = [
        revisionOf(),
        revisionOf({ revision: 2 }),
        revisionOf({ revision: 3, rules: [both] }),
      ].map((revision) => ({ ...revision, tenantId }));
      const records = [1, 2].map((n) =>
        ofTenant(purchaseDecision(n, { campaignRevision: n }), tenantId),
      );
      await parts.publish(published[0]!);
      await parts.decide(records[0]!);
      if (by === 'the sweeper') await parts.decide(records[1]!);
      await parts.publish(published[1]!);
      const work = () => (by === 'a batch' ? parts.decide(records[1]!) : parts.sweep());

      // It has looked who is to be locked and waits for the referrer; now the revision comes.
      const holder = await other.pool.connect();
      await holder.query('begin');
      await holder.query('select from recipient where tenant_id = $1 for update', [tenantId]);
      const working = work().catch((error: unknown) => error);
      await eventually(async () => {
        const { rows } = await other.pool.query(
          `select from pg_stat_activity
           where datname = current_database() and wait_event_type = 'Lock'`,
        );
        expect(rows).to.have.length(1);
      });
      await other.publish(published[2]!);
      await holder.query('rollback');
      holder.release();
      const error = await working;
      expect(await storedOf(tenantId)).to.deep.equal(wantedOf(published, records.slice(0, 1)));
      if (by === 'a batch') {
        expect(error).to.be.instanceOf(LookedTooEarly);
        // So the projection tries the batch again, for as long as it takes.
        expect(isTransientPostgresError(error)).to.equal(true);
      }
      await work();
      expect(await storedOf(tenantId)).to.deep.equal(wantedOf(published, records));
    });
  }

  it('needs the same number of statements for any number of facts, with every look-back', async () => {
    const [rule] = revisionOf().rules;
    const tenantId = 'counted';
    const flat = { kind: 'fixed' as const, credits: '1' };
    const tiers = [1, 2].map((fromCount) => ({ fromCount, effect: flat }));
    const looking = {
      ...rule!,
      recipient: 'both' as const,
      effect: { kind: 'tiered' as const, tiers },
      newUserEffect: flat,
      limits: { firstPurchases: 3, perRecipient: [{ period: 'day' as const, credits: '1' }] },
    };
    await parts.publish({ ...revisionOf({ rules: [looking] }), tenantId });
    const counts: number[] = [];
    for (const [from, to] of [
      [100, 103],
      [200, 400],
      [50, 53],
      [0, 49],
    ] as const) {
      const batch = Array.from({ length: to - from }, (_, i) =>
        ofTenant(purchaseDecision(from + i, { newUserId: `user_${i % 30}` }), tenantId),
      );
      counts.push(await countStatements(parts.pool, () => parts.decide(...batch)));
    }
    // The first batch is the first to see the campaign; late ones read what they are late for.
    expect(Math.max(...counts)).to.be.lessThan(32);
    expect(counts[2]).to.equal(counts[3]);
  });

  it('stores places as the domain writes them', async () => {
    const texts = ['0', '-0.5', '-1.25', '1772236800.0000001', '-62167219200', '12.50'];
    for (const occurredAtSeconds of texts) {
      const fact = { occurredAtSeconds, receivedAt: '2026-03-01T10:00:00.000Z', eventId: 'e' };
      const { rows } = await parts.pool.query<{ place: string }>(
        'select place_of($1, $2, $3) as place',
        [occurredAtSeconds, fact.receivedAt, fact.eventId],
      );
      expect(rows[0]?.place, occurredAtSeconds).to.equal(sortKeyOf(fact));
    }
  });
});

/** The same decision of another tenant. */
function ofTenant(decision: DecisionRecord, tenantId: string): DecisionRecord {
  const businessKey = decision.businessKey.replace('"t1"', JSON.stringify(tenantId));
  const decisionId = `${tenantId}-${decision.decisionId}`;
  return { ...decision, tenantId, decisionId, businessKey };
}

import type { RewardRecord } from '@tributary/contracts/reward-record';
import { readOutbox } from '@tributary/event-log/testing';
import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { expect } from 'chai';
import { foldRecipient } from '@tributary/rewards-fold/fold-recipient';
import { type Parts, startParts } from '../testing/parts.ts';
import {
  asDuplicate,
  purchaseDecision,
  revisionOf,
  signupDecision,
} from '@tributary/rewards-fold/testing/records';
import { createTryDecisions, tryRoute } from './try-decisions.ts';

describe('a dry run of decisions', () => {
  let database: TestDatabase;
  let parts: Parts;
  let tryDecisions: ReturnType<typeof createTryDecisions>;
  const poisoned = new Set<string>();

  before(async () => {
    database = await createDatabase();
    parts = await startParts({
      url: database.url,
      fold: (input) => {
        if (poisoned.has(input.recipient.recipientId)) throw new Error('poison');
        return foldRecipient(input);
      },
    });
    tryDecisions = createTryDecisions({
      pool: parts.pool,
      apply: parts.applyBatch,
      rewardsTopic: 'rewards',
    });
    await parts.publish(revisionOf());
  });
  after(async () => {
    await parts.stop();
    await database.drop();
  });

  it('answers what the real decisions then lead to, and leaves nothing', async () => {
    const first = purchaseDecision(1);
    const steps = [
      [first, signupDecision(2)],
      [asDuplicate(first, 'other-event'), purchaseDecision(3, { invoice: 1, referrerId: 'bert' })],
      [purchaseDecision(4, { referrerId: 'anna' })],
    ];
    for (const decisions of steps) {
      const before = await everything();
      const trial = await tryDecisions(decisions);
      expect(await everything()).to.deep.equal(before);
      const published = await outbox();
      await parts.decide(...decisions);
      const real = (await outbox()).slice(published.length);
      expect(trial.rewards).to.deep.equal(real);
      expect(trial.rewards).to.not.deep.equal([]);
      expect(trial).to.include({ failed: 0, waiting: 0 });
      await parts.releaseAll();
    }
  });

  it('says what is entitled now of rewards that would change', async () => {
    const decision = purchaseDecision(10, { referrerId: 'carl' });
    await parts.decide(decision);
    const trial = await tryDecisions([asDuplicate(decision, 'other-event')]);
    expect(trial.before.map(({ entitledCredits }) => entitledCredits)).to.deep.equal(['10']);
    expect(
      trial.rewards.map(({ state, entitledCredits }) => [state, entitledCredits]),
    ).to.deep.equal([['reversed', '0']]);
  });

  it('says when nothing can be said: a fold that throws, a revision that has not come', async () => {
    poisoned.add('dora');
    const trial = await tryDecisions([
      purchaseDecision(20, { referrerId: 'dora' }),
      purchaseDecision(21, { referrerId: 'emil', campaignRevision: 7 }),
    ]);
    expect(trial).to.deep.equal({ rewards: [], before: [], failed: 1, waiting: 1 });
    expect(await tryDecisions([])).to.include({ failed: 0 });
    await parts.decide(purchaseDecision(22, { referrerId: 'dora' }));
    const again = await tryDecisions([purchaseDecision(23, { referrerId: 'dora' })]);
    expect(again, 'of somebody undecided already').to.include({ failed: 1 });
  });

  it('refuses what are no decision records', async () => {
    const route = tryRoute(tryDecisions);
    const { signal } = new AbortController();
    const ask = (json: unknown) =>
      route.answer({ param: () => '', query: new URLSearchParams(), json, signal });
    for (const json of [undefined, {}, { decisions: [{}] }, { decisions: 'all' }]) {
      expect(await ask(json), JSON.stringify(json)).to.include({ problem: 'VALIDATION_ERROR' });
    }
    expect(await ask({ decisions: [purchaseDecision(30)] })).to.include({ status: 200 });
  });

  async function outbox(): Promise<RewardRecord[]> {
    const entries = (await readOutbox(parts.pool)).filter(({ topic }) => topic === 'rewards');
    return entries.map(({ value }) => JSON.parse(value!) as RewardRecord);
  }

  /** Every row of every table of both schemas. */
  async function everything(): Promise<string[]> {
    const tables = await parts.pool.query<{ name: string }>(
      `select quote_ident(schemaname) || '.' || quote_ident(tablename) as name from pg_tables
       where schemaname = any(current_schemas(false)) order by 1`,
    );
    const found: string[] = [];
    for (const { name } of tables.rows) {
      const { rows } = await parts.pool.query<{ row: string }>(
        `select to_jsonb(t)::text as row from ${name} t order by 1`,
      );
      found.push(...rows.map(({ row }) => `${name} ${row}`));
    }
    return found;
  }
});

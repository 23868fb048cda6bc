import type { ShownState } from '@tributary/contracts/reward-state';
import { eventLogMigrations } from '@tributary/event-log/migrations';
import { silentLogger } from '@tributary/event-log/testing';
import type { ReadModelPlan } from '@tributary/generations/start-read-model';
import { migrate } from '@tributary/runtime/migrate';
import { createPool, inTransaction } from '@tributary/runtime/postgres';
import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { testSeed } from '@tributary/testkit/test-seed';
import { expect } from 'chai';
import fc from 'fast-check';
import type pg from 'pg';
import { formatCredits, parseCredits } from '../../packages/rewards-fold/src/domain/credits.ts';
import {
  actionToWire,
  issuanceToWire,
} from '../../packages/rewards-fold/src/domain/reward-records.ts';
import { explainText } from '../../services/portal/src/console/domain/explain/explain-text.ts';
import type { Subject } from '../../services/portal/src/console/domain/explain/story.ts';
import type { OpenPart } from '../../services/portal/src/console/domain/open-credits.ts';
import { recipientBalance } from '../../services/portal/src/console/db/queries/balances.ts';
import { explain } from '../../services/portal/src/console/db/queries/explain.ts';
import {
  listRewards,
  type RewardRow,
} from '../../services/portal/src/console/db/queries/list-rewards.ts';
import type { TopicRead } from '../../services/portal/src/console/log/sources.ts';
import { readModelPlan as portalPlan } from '../../services/portal/src/console/log/plan.ts';
import { creditsOf } from '../../services/widget/src/db/queries/credits.ts';
import { readModelPlan as widgetPlan } from '../../services/widget/src/log/plan.ts';
import type { Book } from '../../services/rewards/src/testing/in-memory-book.ts';
import {
  endOfHistory,
  histories,
  nettedAndPaid,
  outranked,
  play,
  refundedAndRaised,
} from './history.ts';
import { readLedgerSentence } from './ledger-sentence.ts';

/**
 * Whoever asks about credits, and whichever way, the answer is the same, and it is that of the
 * ledger: over random histories, by the services' own fold and settlement and their own read models
 * on Postgres.
 */
describe('explanations, balances, lists, the widget and the ledger', function () {
  this.timeout(300_000);
  const tenantId = 't1';
  let database: TestDatabase;
  let pool: pg.Pool;
  let widgetPool: pg.Pool;
  before(async () => {
    database = await createDatabase();
    pool = await migrated(portalPlan);
    widgetPool = await migrated(widgetPlan);
  });
  after(async () => {
    await pool?.end();
    await widgetPool?.end();
    await database?.drop();
  });

  async function migrated({ projection: schema, migrations }: ReadModelPlan): Promise<pg.Pool> {
    const settings = { url: database.url, schema, poolSize: 4 };
    await migrate({
      settings,
      schema,
      sets: [eventLogMigrations, migrations],
      logger: silentLogger,
    });
    return createPool(settings, { applicationName: 'test', logger: silentLogger });
  }

  it('agree about every recipient and every reward', async () => {
    const met = new Set<string>();
    await fc.assert(
      fc.asyncProperty(histories, async (history) => {
        const book = play(history);
        await writeReadModel(book);
        const all: RewardRow[] = [];
        for (const recipientId of new Set(book.rewards().map((reward) => reward.recipientId))) {
          const rows = await list(recipientId);
          all.push(...rows);
          await checkBalance(book, recipientId, rows);
          await checkWidget(recipientId);
          await checkFilters(recipientId, rows);
          await checkExplanations(recipientId, rows);
        }
        expect(all).to.have.length(book.rewards().length);
        checkNextRelease(book, all);
        for (const { reward, open } of all) {
          met.add(reward.state);
          for (const { as } of open) met.add(`${reward.state} ${as}`);
        }
      }),
      {
        numRuns: 60,
        seed: testSeed,
        examples: [[outranked], [nettedAndPaid], [refundedAndRaised]],
      },
    );
    // The histories were not only of the plain kind.
    expect([...met]).to.include.members([
      ...['held held', 'review review', 'withheld withheld', 'issued', 'reversed', 'capped'],
      ...['issued review', 'issued offset', 'issued correction', 'issued excess'],
      ...['reversed excess', 'capped excess'],
    ]);
  });

  async function writeReadModel(book: Book): Promise<void> {
    await pool.query('truncate event, decision, undecided, reward, issuance, reward_action');
    await widgetPool.query('truncate decision, reward, reward_action');
    await apply('attributions', [...book.tables.decisions.values()]);
    await apply('rewards', book.published());
    await apply('issuances', book.issuances().map(issuanceToWire));
    await apply('issuances', book.actions().map(actionToWire));
  }

  async function apply(topic: TopicRead, values: readonly unknown[]): Promise<void> {
    const place = { source: topic, topic, partition: 0, offset: 0n, timestampMs: 0, key: '' };
    const batch = values.map((value) => ({ ...place, value }));
    await inTransaction(pool, (tx) => portalPlan.applyBatch(tx, batch));
    await inTransaction(widgetPool, (tx) => widgetPlan.applyBatch(tx, batch));
  }

  async function list(recipient: string, state?: ShownState): Promise<RewardRow[]> {
    const page = { limit: 500, after: undefined };
    return (await listRewards(pool, tenantId, { recipient, state }, page)).items;
  }

  /** Against the ledger's postings, the running totals and the listed rewards. */
  async function checkBalance(book: Book, recipientId: string, rows: readonly RewardRow[]) {
    const ledger = { entitled: 0n, owed: 0n, issued: 0n };
    for (const posting of book.postings().filter((one) => one.recipientId === recipientId)) {
      for (const { account, credits } of posting.entries) ledger[account] += credits;
    }
    const { total, campaigns } = await recipientBalance(pool, tenantId, recipientId);
    expect(total).to.include({
      entitled: formatCredits(-ledger.entitled),
      issued: formatCredits(ledger.issued),
      owed: formatCredits(ledger.owed),
      held: sumAs(rows, 'held'),
      review: sumAs(rows, 'review'),
      withheld: sumAs(rows, 'withheld'),
    });
    for (const name of ['entitled', 'issued', 'owed', 'held', 'review', 'withheld'] as const) {
      expect(sum(campaigns.map((campaign) => campaign[name])), name).to.equal(total[name]);
    }
    const kept = sum([total.held, total.review, total.withheld]);
    expect(kept).to.equal(formatCredits(book.totals(recipientId)!.held));
    expect(sum(rows.map(({ reward }) => reward.entitledCredits))).to.equal(total.entitled);
    expect(sum(rows.map(({ reward }) => reward.issuedCredits))).to.equal(total.issued);
    const excess = `-${sumAs(rows, 'excess')}`;
    const settled = sum([sumAs(rows, 'offset'), sumAs(rows, 'correction'), excess]);
    expect(sum([kept, settled])).to.equal(total.owed);
    expect(sumAs(rows, 'correction')).to.equal(settled.startsWith('-') ? '0' : settled);
    expect(total.reversed).to.equal(sum(rows.map(takenBack)));
  }

  /** What is on hold is not told by its reason, and what was netted is earned. */
  async function checkWidget(recipientId: string): Promise<void> {
    const { total } = await recipientBalance(pool, tenantId, recipientId);
    const { entitled, issued, owed, held, review, withheld } = total;
    const kept = sum([held, review, withheld]);
    const settled = sum([owed, `-${kept}`]);
    expect(await creditsOf(widgetPool, tenantId, recipientId)).to.deep.equal({
      earned: sum([entitled, `-${kept}`]),
      held: sum([held, review]),
      toOffset: settled.startsWith('-') ? settled.slice(1) : '0',
      issued,
    });
  }

  async function checkFilters(recipientId: string, rows: readonly RewardRow[]) {
    for (const state of ['held', 'review', 'withheld', 'issued', 'reversed', 'capped'] as const) {
      const expected = rows.filter(
        ({ reward, open }) => reward.state === state || open.some(({ as }) => as === state),
      );
      const listed = await list(recipientId, state);
      expect(listed, state).to.have.deep.members(expected);
    }
    for (const { reward } of rows.filter(({ reward: { state } }) => state === 'reversed')) {
      const taken = reward.calculation.some(
        ({ step }) => step === 'refund' || step === 'withdrawal',
      );
      expect(taken, JSON.stringify(reward.calculation)).to.equal(true);
      const before = reward.calculation.findLast(({ step }) => step !== 'refund');
      expect([before?.step, before?.credits]).to.not.deep.equal(['limit', '0']);
    }
  }

  async function checkExplanations(recipientId: string, rows: readonly RewardRow[]) {
    const { total } = await recipientBalance(pool, tenantId, recipientId);
    const account = await textOf({ kind: 'user', id: recipientId });
    expect(account).to.contain(
      `Balance: entitled ${total.entitled}, issued ${total.issued}, owed ${total.owed} ` +
        `(held ${total.held}, in review ${total.review}, withheld ${total.withheld}; ` +
        `reversed ${total.reversed}).`,
    );
    const excess = sumAs(rows, 'excess');
    const balance = sum([sumAs(rows, 'offset'), sumAs(rows, 'correction'), `-${excess}`]);
    const owes = balance.startsWith('-') ? balance.slice(1) : '0';
    expect(/^Owes (\S+) credits?,/m.exec(account)?.[1] ?? '0').to.equal(owes);
    expect(/^Will be issued (\S+) credits? next/m.exec(account)?.[1] ?? '0').to.equal(
      sumAs(rows, 'correction'),
    );
    for (const { reward, open } of rows) {
      const text = await textOf({ kind: 'reward', id: reward.rewardId });
      const own = text.slice(text.indexOf(`Reward ${reward.rewardId}: `));
      const told = readLedgerSentence(own);
      expect(told).to.deep.include({
        ...{ entitled: reward.entitledCredits, issued: reward.issuedCredits, open },
      });
      const owing = ['held', 'review', 'withheld', 'excess'];
      if (open.some(({ as }) => owing.includes(as))) {
        expect(told.owes).to.equal(owes);
      }
      expect(/^ *State: (?:in )?(\w+)/m.exec(own)?.[1]).to.equal(reward.state);
    }
  }

  /** What is shown as to come next is what a release at this moment issues for settled rewards. */
  function checkNextRelease(book: Book, rows: readonly RewardRow[]): void {
    const before = new Set(book.issuances().map(({ issuanceId }) => issuanceId));
    book.release(endOfHistory);
    const settled = new Set(
      rows.filter(({ reward }) => reward.state === 'issued').map(({ reward }) => reward.rewardId),
    );
    const issued = book
      .issuances()
      .filter((fact) => !before.has(fact.issuanceId) && settled.has(fact.rewardId))
      .map(({ rewardId, credits }) => `${rewardId} ${formatCredits(credits)}`);
    const shown = rows.flatMap(({ reward, open }) =>
      open.flatMap(({ as, credits }) =>
        as === 'correction' ? [`${reward.rewardId} ${credits}`] : [],
      ),
    );
    expect(shown).to.have.members(issued);
  }

  async function textOf(subject: Subject): Promise<string> {
    const explanation = await explain(pool, tenantId, subject);
    if (explanation === undefined) throw new Error(`nothing is explained of ${subject.id}`);
    return explainText(explanation);
  }
});

function sumAs(rows: readonly RewardRow[], kind: OpenPart['as']): string {
  return sum(
    rows.flatMap(({ open }) => open.flatMap(({ as, credits }) => (as === kind ? [credits] : []))),
  );
}

function sum(amounts: readonly string[]): string {
  return formatCredits(amounts.reduce((total, amount) => total + parseCredits(amount), 0n));
}

/** What refunds and a withdrawal took, by the steps of its calculation. */
function takenBack({ reward: { calculation, entitledCredits } }: RewardRow): string {
  const taken = calculation.findIndex(({ step }) => step === 'refund' || step === 'withdrawal');
  if (taken === -1) return '0';
  const before = parseCredits(calculation[taken - 1]?.credits ?? '0');
  return formatCredits(before - parseCredits(entitledCredits));
}

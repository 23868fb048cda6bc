import type { CalculationStep, RewardRecord } from '@tributary/contracts/reward-record';
import { keptBackAs, shownState, type ShownState } from '@tributary/contracts/reward-state';
import { silentLogger } from '@tributary/event-log/testing';
import { migrate } from '@tributary/runtime/migrate';
import { createPool, inTransaction } from '@tributary/runtime/postgres';
import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { expect } from 'chai';
import type pg from 'pg';
import { fileURLToPath } from 'node:url';
import {
  actionOn,
  decisionOn,
  issuanceOf,
  onLog,
  type OnLog,
  purchase,
  rewardFor,
  tenantId,
} from '../../../testing/scenario.ts';
import { applyBatch } from '../../log/apply-batch.ts';
import { recipientBalance } from './balances.ts';
import { listRewards } from './list-rewards.ts';

const states = ['held', 'review', 'issued', 'withheld', 'reversed'] as const;
const actions = [[], ['released'], ['withheld'], ['withheld', 'released']] as const;
const step = (name: CalculationStep['step'], credits: string) => ({
  ...{ step: name, detail: '', credits },
});
const effect = step('effect', '10');
const calculations = [
  [effect],
  [effect, step('limit', '0')],
  [effect, step('limit', '0'), { ...step('refund', '0'), eventId: 'r' }],
  [effect, step('limit', '0'), step('withdrawal', '0')],
  [],
];

/** Every way in which a reward can stand, each of a recipient of its own. */
const cases = states.flatMap((state) =>
  actions.flatMap((asked) =>
    [undefined, ['revision-published-later' as const]].flatMap((reviewReasons) =>
      calculations.map((calculation) => ({ state, asked, reviewReasons, calculation })),
    ),
  ),
);

describe('how rewards stand, in SQL', () => {
  const schema = 'read_model';
  const rewards: RewardRecord[] = cases.map(({ asked: _, reviewReasons, ...members }, i) =>
    rewardFor(decisionOn(purchase(i)), {
      ...members,
      recipientId: `recipient-${i}`,
      entitledCredits: members.state === 'reversed' ? '0' : '10',
      issuedCredits: members.state === 'issued' ? '4' : '0',
      ...(reviewReasons && { reviewReasons }),
    }),
  );
  let database: TestDatabase;
  let pool: pg.Pool;
  before(async () => {
    database = await createDatabase();
    const settings = { url: database.url, schema, poolSize: 2 };
    const dir = fileURLToPath(new URL('../../../../migrations/read-model', import.meta.url));
    await migrate({ settings, schema, sets: [{ dir, table: 'migration' }], logger: silentLogger });
    pool = createPool(settings, { applicationName: 'test', logger: silentLogger });
    await apply(rewards.map(onLog.reward));
    await apply(
      rewards.flatMap((reward, i) => [
        ...cases[i]!.asked.map((type, n) => onLog.issuance(actionOn(reward, n + 1, type))),
        ...(reward.state === 'issued'
          ? [onLog.issuance(issuanceOf(reward, i, { credits: '4' }))]
          : []),
      ]),
    );
  });
  after(async () => {
    await pool.end();
    await database.drop();
  });

  it('is what the contracts say, in every list', async () => {
    const lists: ShownState[] = [...states, 'capped'];
    for (const state of lists) {
      const page = { limit: 500, after: undefined };
      const { items } = await listRewards(pool, tenantId, { state }, page);
      const expected = rewards.filter((reward, i) =>
        isKept(state) ? keptBack(i) === state : shownState(reward) === state,
      );
      expect(expected, state).to.not.have.length(0);
      expect(items.map(({ reward }) => reward.rewardId)).to.have.members(
        expected.map(({ rewardId }) => rewardId),
        state,
      );
      for (const { reward } of items.filter(() => !isKept(state))) {
        expect(reward.state).to.equal(state);
      }
    }
  });

  it('is what the contracts say, in every balance', async () => {
    for (const [i, { recipientId, entitledCredits, issuedCredits }] of rewards.entries()) {
      const { total } = await recipientBalance(pool, tenantId, recipientId);
      const open = String(Number(entitledCredits) - Number(issuedCredits));
      const kept = { held: '0', review: '0', withheld: '0' };
      const as = keptBack(i);
      if (as !== undefined) kept[as] = open;
      expect(total, JSON.stringify(cases[i])).to.include({ ...kept, owed: open });
    }
  });

  function keptBack(i: number) {
    const { state, reviewReasons: reviews = [], asked } = cases[i]!;
    return keptBackAs({ state, reviews, action: asked.at(-1) });
  }

  function isKept(state: ShownState): state is 'held' | 'review' | 'withheld' {
    return ['held', 'review', 'withheld'].includes(state);
  }

  async function apply(records: readonly OnLog[]): Promise<void> {
    await inTransaction(pool, (tx) =>
      applyBatch(
        tx,
        records.map(({ topic, key, decoded }) => ({
          ...{ source: topic, topic, partition: 0, offset: 0n, timestampMs: 0, key },
          value: decoded,
        })),
      ),
    );
  }
});

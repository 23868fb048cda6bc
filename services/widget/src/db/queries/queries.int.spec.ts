import type { DecisionRecord } from '@tributary/contracts/decision-record';
import type { RewardActionRecord } from '@tributary/contracts/issuance-record';
import type { RewardRecord } from '@tributary/contracts/reward-record';
import { eventLogMigrations } from '@tributary/event-log/migrations';
import { silentLogger } from '@tributary/event-log/testing';
import { migrate } from '@tributary/runtime/migrate';
import { createPool, inTransaction } from '@tributary/runtime/postgres';
import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { expect } from 'chai';
import type pg from 'pg';
import { readModelPlan } from '../../log/plan.ts';
import { writeCodes } from '../writes/codes.ts';
import { writeDecisions } from '../writes/decisions.ts';
import { writeRewardActions } from '../writes/reward-actions.ts';
import { writeRewards } from '../writes/rewards.ts';
import {
  actionOn,
  codeOf,
  decisionOn,
  disabled,
  minute,
  notAttributed,
  reversed,
  rewardOf,
  tenantId,
} from '../../testing/log-records.ts';
import { tables } from '../../testing/widget-world.ts';
import { codesOfUser, findCode } from './codes.ts';
import { type Credits, creditsOf } from './credits.ts';
import { referralsOf, signupSeen } from './referrals.ts';
import { readUserView } from './user-view.ts';

describe('widget queries', () => {
  const schema = 'widget';
  let database: TestDatabase;
  let pool: pg.Pool;
  before(async () => {
    database = await createDatabase();
    const settings = { url: database.url, schema, poolSize: 4 };
    const sets = [eventLogMigrations, readModelPlan.migrations];
    await migrate({ settings, schema, sets, logger: silentLogger });
    pool = createPool(settings, { applicationName: 'test', logger: silentLogger });
  });
  after(async () => {
    await pool.end();
    await database.drop();
  });
  beforeEach(() => pool.query(`truncate ${tables.join(', ')}`));

  const decide = (...records: DecisionRecord[]) =>
    inTransaction(pool, (tx) => writeDecisions(tx, records));
  const reward = (...records: RewardRecord[]) =>
    inTransaction(pool, (tx) => writeRewards(tx, records));

  describe('referrals', () => {
    const userId = 'cara';
    const signup = decisionOn('signup-created', { n: 1, userId });
    const demo = decisionOn('demo-attended', { n: 2, userId });
    const bought = decisionOn('purchase-created', { n: 3, userId });
    const again = decisionOn('purchase-created', { n: 4, userId });
    const cases: [string, DecisionRecord[], string, number][] = [
      ['only a signup', [signup], 'signed-up', 1],
      ['a demo, whichever came first', [demo, signup], 'demo-attended', 2],
      ['a purchase', [signup, demo, bought], 'purchased', 3],
      ['the first of two purchases', [again, bought], 'purchased', 3],
      ['a purchase refunded in part', [reversed(bought, minute(9), false)], 'purchased', 3],
      ['one refunded in full', [demo, reversed(bought, minute(9), true)], 'refunded', 9],
      ['one of two refunded', [reversed(bought, minute(9), true), again], 'purchased', 4],
      [
        'both refunded, the later refund',
        [reversed(bought, minute(9), true), reversed(again, minute(8), true)],
        'refunded',
        9,
      ],
    ];
    for (const [facts, records, state, at] of cases) {
      it(`of a user with ${facts}: ${state}`, async () => {
        await decide(...records);
        const { total, byState, latest } = await referralsOf(pool, tenantId, 'ada');
        expect(total).to.equal(1);
        const none = { 'signed-up': 0, 'demo-attended': 0, purchased: 0, refunded: 0 };
        expect(byState).to.deep.equal({ ...none, [state]: 1 });
        expect(latest).to.have.length(1);
        expect(latest[0]).to.include({ userId, state, at: minute(at) });
      });
    }

    it('are those of the referrer and the tenant asked for, and of nobody who was not attributed', async () => {
      const other = { ...decisionOn('signup-created', { n: 5, userId: 'erik' }), tenantId: 'zeta' };
      const bobs = decisionOn('signup-created', { n: 6, userId: 'finn' }, { referrerId: 'bob' });
      const nobodys = notAttributed(decisionOn('signup-created', { n: 7, userId: 'gina' }));
      await decide(signup, other, bobs, nobodys);
      const { total, latest } = await referralsOf(pool, tenantId, 'ada');
      expect([total, latest.map(({ userId: id }) => id)]).to.deep.equal([1, ['cara']]);
    });

    it('are all counted, and the newest told', async () => {
      const many = Array.from({ length: 75 }, (_, n) =>
        decisionOn('signup-created', { n, userId: `user-${n}` }),
      );
      await decide(...many);
      const { total, byState, latest } = await referralsOf(pool, tenantId, 'ada', 50);
      expect([total, byState['signed-up']]).to.deep.equal([75, 75]);
      const newest = Array.from({ length: 50 }, (_, i) => `user-${74 - i}`);
      expect(latest.map(({ userId: id }) => id)).to.deep.equal(newest);
    });
  });

  describe('whether a signup was seen', () => {
    it('is so whatever was decided about it, and not by another fact or of another user', async () => {
      const demo = decisionOn('demo-attended', { n: 1, userId: 'cara' });
      const signup = decisionOn('signup-created', { n: 2, userId: 'dora' });
      const waiting = notAttributed(signup, { outcome: 'waiting', reason: 'unknown-code' });
      await decide(demo, waiting);
      expect(await signupSeen(pool, tenantId, 'cara')).to.equal(false);
      expect(await signupSeen(pool, tenantId, 'dora')).to.equal(true);
      expect(await signupSeen(pool, 'zeta', 'dora')).to.equal(false);
    });
  });

  describe('credits', () => {
    const issued = (entitledCredits: string, issuedCredits: string) =>
      ({ state: 'issued', entitledCredits, issuedCredits }) as const;
    const takenBack = (issuedCredits: string) =>
      ({ state: 'reversed', entitledCredits: '0', issuedCredits }) as const;
    const reviewReasons: RewardRecord['reviewReasons'] = ['revision-published-later'];
    type Case = [what: string, rewards: Partial<RewardRecord>[], expected: Partial<Credits>];
    const cases: Case[] = [
      ['of nobody known', [], {}],
      [
        'of what is held and in review',
        [{ entitledCredits: '10.50' }, { state: 'review', entitledCredits: '0.25' }],
        { held: '10.75' },
      ],
      ['of what was issued', [issued('10', '10'), {}], { earned: '10', held: '10', issued: '10' }],
      [
        'of a full refund after the payout',
        [issued('5', '5'), takenBack('2.52')],
        { earned: '5', toOffset: '2.52', issued: '7.52' },
      ],
      ['of a refund in part', [issued('4', '10')], { earned: '4', toOffset: '6', issued: '10' }],
      [
        'of a reward that made up for a refund',
        [issued('10', '0'), takenBack('10')],
        { earned: '10', issued: '10' },
      ],
      [
        'of one that made up for a refund in part',
        [issued('10', '0'), takenBack('12')],
        { earned: '10', toOffset: '2', issued: '12' },
      ],
      [
        'of what is held, which makes up for nothing yet',
        [{}, takenBack('4')],
        { held: '10', toOffset: '4', issued: '4' },
      ],
      [
        'of refunds in one campaign and rewards in another (decision 5)',
        [takenBack('4'), { campaignId: 'autumn', ...issued('7', '3') }],
        { earned: '7', issued: '7' },
      ],
      [
        'of what a limit cut to nothing',
        [takenBack('0'), issued('3', '3')],
        { earned: '3', issued: '3' },
      ],
      [
        'without what is withheld, save what had been issued of it',
        [{ state: 'withheld' }, { state: 'withheld', issuedCredits: '4' }],
        { earned: '4', issued: '4' },
      ],
      ['of a correction that is issued next', [issued('12', '10')], { earned: '12', issued: '10' }],
      [
        'of what a reward in review has grown by',
        [{ ...issued('15', '10'), reviewReasons }],
        { earned: '10', held: '5', issued: '10' },
      ],
      [
        'exact, however long',
        [{ entitledCredits: '0.000000000000000001' }, { entitledCredits: '900719925474099312' }],
        { held: '900719925474099312.000000000000000001' },
      ],
      ['of this recipient and tenant only', [{ recipientId: 'bob' }, { tenantId: 'zeta' }], {}],
    ];
    for (const [what, rewards, expected] of cases) {
      it(`are the sums ${what}`, async () => {
        await reward(...rewards.map((changes, n) => rewardOf(n, changes)));
        expect(await creditsOf(pool, tenantId, 'ada')).to.deep.equal({ ...none, ...expected });
      });
    }

    it('are no longer held once an operator has released what had grown, whichever is read first', async () => {
      const grown = rewardOf(1, { ...issued('15', '10'), reviewReasons });
      const [withheld, released] = [actionOn(grown, 'withheld', 1), actionOn(grown, 'released', 2)];
      const act = (...actions: RewardActionRecord[]) =>
        inTransaction(pool, (tx) => writeRewardActions(tx, actions));
      await act(released);
      await act(withheld);
      await reward(grown);
      const earned = { ...none, earned: '15', issued: '10' };
      expect(await creditsOf(pool, tenantId, 'ada')).to.deep.equal(earned);
    });
  });

  describe('codes', () => {
    const publish = async (...batches: Parameters<typeof writeCodes>[1][]) => {
      for (const batch of batches) await inTransaction(pool, (tx) => writeCodes(tx, batch));
    };
    const code = codeOf('ada-code');
    const row = {
      ucc: 'ada-code',
      status: 'issued',
      campaignId: 'spring',
      productUserId: 'ada',
      issuedAt: minute(0),
      changedAt: minute(0),
    };

    it('keep the first publication of a ucc, whoever publishes it again', async () => {
      await publish([code, codeOf('ada-code', { productUserId: 'eve', at: minute(1) })]);
      await publish([codeOf('ada-code', { productUserId: 'eve', at: minute(2) })]);
      expect(await findCode(pool, tenantId, 'ada-code')).to.deep.equal(row);
      expect(await codesOfUser(pool, tenantId, 'eve')).to.deep.equal([]);
    });

    it('keep when they were issued once they are disabled, and are not revived', async () => {
      await publish([code], [disabled(code, minute(5))], [code]);
      const expected = { ...row, status: 'disabled', changedAt: minute(5) };
      expect(await findCode(pool, tenantId, 'ada-code')).to.deep.equal(expected);
      expect(await codesOfUser(pool, tenantId, 'ada')).to.deep.equal([expected]);
    });

    it('keep when they were issued once they are enabled again', async () => {
      const enabled = { ...code, version: 3, at: minute(6) };
      await publish([enabled], [disabled(code, minute(5))], [code]);
      const expected = { ...row, changedAt: minute(6) };
      expect(await findCode(pool, tenantId, 'ada-code')).to.deep.equal(expected);
    });

    it('of a user come with the one issued last first', async () => {
      await publish([code, codeOf('later', { at: minute(9) }), codeOf('also', { at: minute(9) })]);
      const codes = await codesOfUser(pool, tenantId, 'ada');
      expect(codes.map(({ ucc }) => ucc)).to.deep.equal(['also', 'later', 'ada-code']);
    });

    it('of another tenant are unknown', async () => {
      await publish([code]);
      expect(await findCode(pool, 'zeta', 'ada-code')).to.equal(undefined);
    });
  });

  it('show a user of whom nothing is known as somebody with nothing', async () => {
    const byState = { 'signed-up': 0, 'demo-attended': 0, purchased: 0, refunded: 0 };
    expect(await readUserView(pool, tenantId, 'nobody')).to.deep.equal({
      codes: [],
      person: undefined,
      referrals: { total: 0, byState, latest: [] },
      credits: none,
    });
  });
});

const none: Credits = { earned: '0', held: '0', toOffset: '0', issued: '0' };

import type { RewardRecord } from '@tributary/contracts/reward-record';
import {
  actionOn,
  codeOf,
  decisionOn,
  disabled,
  erasureOf,
  issuanceOf,
  minute,
  notAttributed,
  onLog,
  type OnLog,
  personOf,
  reversed,
  rewardOf,
} from './log-records.ts';

/**
 * What happened to ada's referrals, as its topics tell it. Cara signed up (decided when the code
 * was known), saw a demo and bought, of which a part was refunded. Dora's only purchase was
 * refunded in full. Erik signed up and was to be forgotten. Finn's signup went over to bob, and
 * gina's to nobody. Ada's code was issued by two replicas at once; another one of hers was
 * disabled. Two of her rewards have grown after they were issued, by 2 and by 1, and an operator
 * has released the second.
 */
export function story(): OnLog[] {
  const old = codeOf('ada-old', { at: minute(-60) });
  const caraSignup = decisionOn('signup-created', { n: 10, userId: 'cara' });
  const caraPurchase = decisionOn('purchase-created', { n: 30, userId: 'cara' });
  const doraPurchase = decisionOn('purchase-created', { n: 40, userId: 'dora' });
  const finnSignup = decisionOn('signup-created', { n: 60, userId: 'finn' });
  const ginaSignup = decisionOn('signup-created', { n: 70, userId: 'gina' });
  const partly = reversed(doraPurchase, minute(41), false);
  const caraReward = rewardOf(1);
  const grown: Partial<RewardRecord> = {
    state: 'issued',
    reviewReasons: ['revision-published-later'],
  };

  return [
    onLog.code(old),
    onLog.code(codeOf('ada-code')),
    onLog.code(codeOf('ada-code', { at: minute(2) })),
    onLog.code(disabled(old, minute(5))),
    onLog.code(codeOf('bob-code', { productUserId: 'bob' })),
    onLog.person(personOf('ada', { name: 'Ada', email: 'ada@example.com' })),
    onLog.person(personOf('cara', { name: 'Cara Example', receivedAt: minute(10) })),
    onLog.person(personOf('erik', { name: 'Erik Example', email: 'erik@example.com' })),
    onLog.person(
      personOf('ada', {
        name: 'Ada Lovelace',
        firstName: 'Ada',
        lastName: 'Lovelace',
        receivedAt: minute(3),
      }),
    ),
    onLog.person(personOf('dora', { name: 'Dora Example' })),
    onLog.tombstone('dora'),
    onLog.catalog(erasureOf('erik', minute(50))),
    onLog.catalog(erasureOf('erik', minute(55), 2)),
    onLog.decision(notAttributed(caraSignup, { outcome: 'waiting', reason: 'unknown-code' })),
    onLog.decision({ ...caraSignup, version: 2 }),
    onLog.decision(decisionOn('demo-attended', { n: 20, userId: 'cara' })),
    onLog.decision(caraPurchase),
    onLog.decision(reversed(caraPurchase, minute(35), false)),
    onLog.decision(doraPurchase),
    onLog.decision(partly),
    onLog.decision(decisionOn('purchase-refunded', { n: 42, userId: 'dora' })),
    onLog.decision(reversed(partly, minute(42), true)),
    onLog.decision(decisionOn('signup-created', { n: 50, userId: 'erik' })),
    onLog.decision(finnSignup),
    onLog.decision({ ...finnSignup, version: 2, referrerId: 'bob' }),
    onLog.decision(ginaSignup),
    onLog.decision(notAttributed(ginaSignup, { version: 2 })),
    onLog.reward(caraReward),
    onLog.reward({ ...caraReward, version: 2, state: 'issued', issuedCredits: '10' }),
    onLog.reward(rewardOf(2, { state: 'review', entitledCredits: '2.50' })),
    onLog.reward(rewardOf(3, { recipientId: 'bob', entitledCredits: '7' })),
    onLog.reward({ ...rewardOf(4, grown), entitledCredits: '5', issuedCredits: '3' }),
    onLog.reward({ ...rewardOf(5, grown), entitledCredits: '2', issuedCredits: '1' }),
    onLog.issuance(issuanceOf(rewardOf(5), '1')),
    onLog.issuance(actionOn(rewardOf(5), 'withheld', 1)),
    onLog.issuance(actionOn(rewardOf(5), 'released', 2)),
  ];
}

/** Everything in {@link story}. */
export const storyOfAda = {
  codes: [
    {
      ucc: 'ada-code',
      status: 'issued',
      campaignId: 'spring',
      productUserId: 'ada',
      issuedAt: minute(0),
      changedAt: minute(0),
    },
    {
      ucc: 'ada-old',
      status: 'disabled',
      campaignId: 'spring',
      productUserId: 'ada',
      issuedAt: minute(-60),
      changedAt: minute(5),
    },
  ],
  person: { email: null, name: 'Ada Lovelace', firstName: 'Ada', lastName: 'Lovelace' },
  referrals: {
    total: 3,
    byState: { 'signed-up': 1, 'demo-attended': 0, purchased: 1, refunded: 1 },
    latest: [
      {
        userId: 'erik',
        name: null,
        firstName: null,
        lastName: null,
        state: 'signed-up',
        at: minute(50),
      },
      {
        userId: 'dora',
        name: null,
        firstName: null,
        lastName: null,
        state: 'refunded',
        at: minute(42),
      },
      {
        userId: 'cara',
        name: 'Cara Example',
        firstName: null,
        lastName: null,
        state: 'purchased',
        at: minute(30),
      },
    ],
  },
  credits: { earned: '15', held: '4.5', toOffset: '0', issued: '14' },
};

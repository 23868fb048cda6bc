import type { DecisionRecord } from '@tributary/contracts/decision-record';
import type { RewardRecord } from '@tributary/contracts/reward-record';
import { showReward } from '@tributary/contracts/reward-state';
import { expect } from 'chai';
import { describeTrial, type Trial } from './describe-trial.ts';

const decision: DecisionRecord = {
  schemaVersion: 4,
  decisionId: 'd1',
  version: 1,
  tenantId: 'acme',
  eventId: 'e1',
  eventType: 'purchase-created',
  source: 'v2',
  newUserId: 'u1',
  ucc: 'abc',
  occurredAt: '2026-03-01T10:00:00Z',
  occurredAtSeconds: '1772359200',
  receivedAt: '2026-03-01T10:00:01.000Z',
  businessKey: '["purchase","acme","i1"]',
  outcome: 'attributed',
  campaignId: 'spring',
  campaignRevision: 3,
  referrerId: 'anna',
  flags: [],
  tests: [{ test: 'code known', passed: true, detail: 'the code is of anna' }],
};
const reward: RewardRecord = {
  schemaVersion: 3,
  rewardId: 'r1',
  version: 1,
  tenantId: 'acme',
  campaignId: 'spring',
  campaignRevision: 3,
  ruleId: 'share',
  recipientRole: 'referrer',
  recipientId: 'anna',
  businessKey: '["purchase","acme","i1"]',
  eventId: 'e1',
  decisionId: 'd1',
  decisionVersion: 1,
  state: 'held',
  entitledCredits: '9.80',
  issuedCredits: '0',
  tests: [],
  calculation: [],
  explanation: [],
};
const trial: Trial = {
  campaignId: 'spring',
  decision,
  changedDecisions: [],
  rewards: [],
  failed: 0,
  waiting: 0,
  complete: true,
};
const refused = (reason: 'unknown-code' | 'duplicate', detail: string): DecisionRecord => ({
  ...decision,
  outcome: reason === 'duplicate' ? 'not-attributed' : 'waiting',
  reason,
  tests: [...decision.tests, { test: 't', passed: false, detail }],
});

const cases: [string, Partial<Trial>, string[]][] = [
  [
    'an attributed event with a reward that is held',
    { rewards: [{ after: { ...reward, maturesAt: '2026-03-08T10:00:01.000Z' } }] },
    [
      'If this purchase-created came now, it would be attributed to anna by campaign spring, revision 3.',
      'anna, as referrer, would get 9.80 credits by rule share, held until 2026-03-08T10:00:01.000Z.',
    ],
  ],
  [
    'a reward without a hold',
    { rewards: [{ after: { ...reward, maturesAt: decision.receivedAt } }] },
    [
      'If this purchase-created came now, it would be attributed to anna by campaign spring, revision 3.',
      'anna, as referrer, would get 9.80 credits by rule share, issued at once.',
    ],
  ],
  [
    'the first test that fails, as the reason',
    { decision: refused('duplicate', 'event e0 holds the invoice.') },
    [
      'If this purchase-created came now, it would not be attributed (duplicate): event e0 holds the invoice.',
      'No reward would come or change.',
    ],
  ],
  [
    'an event that waits',
    { decision: refused('unknown-code', 'nobody has this code') },
    [
      'If this purchase-created came now, it would wait (unknown-code): nobody has this code.',
      'No reward would come or change.',
    ],
  ],
  [
    'a review, flags and another campaign',
    {
      campaignId: 'autumn',
      decision: { ...decision, review: ['referral-loop'], flags: ['user-differs'] },
      rewards: [{ after: { ...reward, state: 'review', recipientRole: 'new-user' } }],
    },
    [
      'If this purchase-created came now, it would be attributed to anna by campaign spring, revision 3. What it earns would be in review.',
      'The code of this event belongs to campaign spring, not to autumn: the rules of spring hold.',
      'It would be flagged: user-differs.',
      'anna, as new user, would get 9.80 credits by rule share, in review until an operator releases them.',
    ],
  ],
  [
    'that a limit leaves nothing',
    {
      rewards: [
        {
          after: showReward({
            ...reward,
            state: 'reversed',
            entitledCredits: '0',
            calculation: [{ step: 'limit', detail: 'no room', credits: '0' }],
          }),
        },
      ],
    },
    [
      'If this purchase-created came now, it would be attributed to anna by campaign spring, revision 3.',
      'anna, as referrer, would get 0 credits by rule share, as a limit leaves no room for it.',
    ],
  ],
  [
    'what would change of others',
    {
      changedDecisions: [
        {
          before: { ...decision, eventId: 'e0' },
          after: { ...refused('duplicate', 'x'), eventId: 'e0' },
        },
      ],
      rewards: [{ before: reward, after: { ...reward, state: 'reversed', entitledCredits: '0' } }],
      complete: false,
    },
    [
      'If this purchase-created came now, it would be attributed to anna by campaign spring, revision 3.',
      'anna, as referrer, would have 0 instead of 9.80 credits by rule share, reversed.',
      'Event e0 of u1, now attributed to anna, would become not-attributed (duplicate).',
      'Still more events would be decided again, later and page by page.',
    ],
  ],
  [
    'what cannot be said',
    { failed: 1, waiting: 1 },
    [
      'If this purchase-created came now, it would be attributed to anna by campaign spring, revision 3.',
      'Rewards has not read the campaign revision yet; ask again in a moment for the rewards.',
      'The rewards of 1 recipient(s) cannot be computed; see the log of rewards.',
    ],
  ],
];

describe('the sentences of a dry run', () => {
  for (const [what, change, sentences] of cases) {
    it(`tell ${what}`, () => {
      expect(describeTrial({ ...trial, ...change })).to.deep.equal(sentences);
    });
  }
});

import type { DecisionRecord } from '@tributary/contracts/decision-record';
import type { EventRecord } from '@tributary/contracts/event-record';
import type { RewardRecord } from '@tributary/contracts/reward-record';
import { showReward } from '@tributary/contracts/reward-state';
import { silentRulesOf } from '../console/domain/explain/silent-rules.ts';
import { openPartOf, toOpenParts } from '../console/domain/open-credits.ts';
import type { Explanation, Related, RewardStory, Story } from '../console/domain/explain/story.ts';
import {
  actionOn,
  attemptOf,
  codeOf,
  decisionOn,
  issuanceOf,
  notAttributed,
  purchase,
  refund,
  revisionOf,
  rewardFor,
  tenantId,
} from './scenario.ts';

/** A story of which only what matters is named. */
export function storyOf(
  event: EventRecord,
  decision: DecisionRecord | undefined,
  changes: Partial<Story> = {},
): Story {
  return {
    eventId: event.eventId,
    fact: event,
    decision,
    codeChanges: [],
    revision: undefined,
    refunds: [],
    duplicates: [],
    rewards: [],
    silentRules: [],
    ...changes,
  };
}

export function explanationOf(stories: readonly Story[], changes: Partial<Explanation> = {}) {
  const subject = { kind: 'event', id: stories[0]?.eventId ?? '' } as const;
  const nothing = {
    truncated: false,
    people: [],
    account: undefined,
    issuedWithoutReward: undefined,
  };
  return { tenantId, subject, stories, ...nothing, ...changes } satisfies Explanation;
}

export function relatedTo(event: EventRecord, decision: DecisionRecord): Related {
  const { eventId, source, occurredAt } = event;
  const { purchase: paid, refund: given, outcome, reason, flags } = decision;
  return { eventId, source, occurredAt, payment: paid ?? given, outcome, reason, flags };
}

/** For a recipient who owes what was issued too much for this reward, and has nothing else. */
export function rewarded(record: RewardRecord, changes: Partial<RewardStory> = {}): RewardStory {
  const reward = showReward(record);
  const part = openPartOf(reward, changes.actions?.at(-1)?.type);
  const recipientOwes = part?.as === 'excess' ? part.credits : '0';
  const open = toOpenParts(part);
  return { reward, open, recipientOwes, issuances: [], actions: [], ...changes };
}

/**
 * A purchase of 49.00 EUR that is half refunded after ada's reward, clamped by her monthly limit,
 * was issued; cara has a share of her own, which an operator withheld; legacy reported it as well.
 */
export function twoSidedPurchase(): Explanation {
  const revision = revisionOf();
  const bought = purchase(2, { invoiceId: 'inv-1' });
  const givenBack = refund(4, {
    invoiceId: 'inv-1',
    amount: 2_450,
    occurredAt: '2026-03-05T12:00:00Z',
  });
  const { eventId, occurredAt, occurredAtSeconds } = givenBack;
  const reversals = [
    {
      eventId,
      occurredAt,
      occurredAtSeconds,
      receivedAt: givenBack.receivedAt,
      reversedAmount: 2_450,
      full: false,
    },
  ];
  const decision = decisionOn(bought, { version: 2, reversals });
  const forAda = rewardFor(decision, {
    state: 'issued',
    entitledCredits: '4',
    issuedCredits: '8',
    calculation: [
      { step: 'effect', detail: 'a fixed amount', credits: '10' },
      { step: 'limit', detail: 'at most 20 credits a month, 12 were used', credits: '8' },
      { step: 'refund', detail: '24.50 EUR of 49.00 EUR are left', credits: '4', eventId },
    ],
  });
  const forCara = rewardFor(decision, {
    recipientRole: 'new-user',
    recipientId: 'cara',
    entitledCredits: '1.5',
    state: 'withheld',
    calculation: [
      { step: 'effect', detail: 'a fixed amount', credits: '3' },
      { step: 'refund', detail: '24.50 EUR of 49.00 EUR are left', credits: '1.5', eventId },
    ],
  });
  const issuance = issuanceOf(forAda, 1, { credits: '8' });
  const timeout = attemptOf(issuance, 1, { outcome: 'failed', result: 'timeout' });
  const legacy = {
    ...purchase(3, { invoiceId: 'inv-1', amount: 5_000 }),
    source: 'legacy' as const,
  };
  const duplicate = notAttributed(legacy, {
    reason: 'duplicate',
    duplicateOf: bought.eventId,
    flags: ['amount-differs'],
  });
  const story = storyOf(bought, decision, {
    codeChanges: [codeOf()],
    revision,
    refunds: [relatedTo(givenBack, decisionOn(givenBack, { refundOf: bought.eventId }))],
    duplicates: [relatedTo(legacy, duplicate)],
    rewards: [
      rewarded(forAda, {
        issuances: [{ issuance, deliveries: [timeout, attemptOf(issuance, 2)] }],
      }),
      rewarded(forCara, { actions: [actionOn(forCara, 1, 'withheld')] }),
    ],
    silentRules: silentRulesOf(decision, revision, [forAda, forCara]),
  });
  const people = [{ userId: 'cara', name: 'Cara Example', email: 'cara@example.com' }];
  return explanationOf([story], { people });
}

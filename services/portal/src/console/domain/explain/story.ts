import type { Balance } from '@tributary/contracts/admin/event-answers';
import type { CampaignRevisionRecord } from '@tributary/contracts/catalog-record';
import type { CodeRecord } from '@tributary/contracts/code-record';
import type { DecisionRecord, DecisionTest } from '@tributary/contracts/decision-record';
import type { DeliveryFact } from '@tributary/contracts/delivery-record';
import type { EventRecord, Payment } from '@tributary/contracts/event-record';
import type { IssuanceRecord, RewardActionRecord } from '@tributary/contracts/issuance-record';
import type { ShownReward } from '@tributary/contracts/reward-state';
import type { OpenPart } from '../open-credits.ts';

/** What an explanation is about. */
export type Subject = { kind: 'event' | 'invoice' | 'user' | 'reward'; id: string };

/**
 * A fact as it is shown; how its request was distinguished from a repetition is nobody's business.
 */
export type Fact = WithoutKey<EventRecord>;
type WithoutKey<E> = E extends EventRecord ? Omit<E, 'idempotency'> : never;

/** All that is known of one event. Either of the first two may not have arrived yet. */
export type Story = {
  eventId: string;
  fact: Fact | undefined;
  decision: DecisionRecord | undefined;
  /** What became of the code on it, first change first. */
  codeChanges: readonly CodeRecord[];
  /** The revision that the decision names. */
  revision: CampaignRevisionRecord | undefined;
  /** Refunds of its invoice, as far as it is a purchase. */
  refunds: readonly Related[];
  /** Other events that report the same and do not count. */
  duplicates: readonly Related[];
  /** Rewards that it causes; of a refund, those of its purchase that it took from. */
  rewards: readonly RewardStory[];
  /** Rules of the revision that gave nothing for it. */
  silentRules: readonly SilentRule[];
};

export type Related = {
  eventId: string;
  source: string;
  occurredAt: string;
  payment: Payment | undefined;
  outcome: DecisionRecord['outcome'] | undefined;
  reason: DecisionRecord['reason'] | undefined;
  flags: readonly string[];
};

export type RewardStory = {
  reward: ShownReward;
  /** What of it is not issued, or issued beyond it. */
  open: readonly OpenPart[];
  /**
   * What the recipient owes over all rewards, `0` for nothing. Only told where something is open.
   */
  recipientOwes: string;
  issuances: readonly IssuanceStory[];
  /** By sequence. */
  actions: readonly RewardActionRecord[];
};

/** `deliveries` as they follow each other: attempts, expiries and resends. */
export type IssuanceStory = { issuance: IssuanceRecord; deliveries: readonly DeliveryFact[] };

export type SilentRule = { ruleId: string; tests: readonly DecisionTest[] };

/** Who somebody is, where it is known and not erased. */
export type Person = { userId: string; name: string | null; email: string | null };

/** What a user has as a referrer or as somebody rewarded. */
export type Account = {
  codes: readonly CodeRecord[];
  balance: Balance;
  /** The newest ones. */
  rewards: readonly (ShownReward & { open: readonly OpenPart[] })[];
};

export type Explanation = {
  tenantId: string;
  subject: Subject;
  /** In canonical order. */
  stories: readonly Story[];
  /** There are more events than are told. */
  truncated: boolean;
  people: readonly Person[];
  /** Given for a user only. */
  account: Account | undefined;
  /** Given for a user and a reward, if there is anything. */
  issuedWithoutReward: IssuedWithoutReward | undefined;
};

/**
 * What was issued for rewards that the live generation does not have: their event was lost, is
 * decided otherwise now, or earns nothing by the present rules. What is issued stays issued.
 */
export type IssuedWithoutReward = {
  /** All of it. */
  credits: string;
  /** How many issuances there are. */
  count: number;
  /** The newest ones. */
  issuances: readonly IssuanceStory[];
};

import type { HashedSet, Positions } from '../live/types.ts';

/** What a preview, or a look at a past state, tells. Credits are exact decimals. */
export type Report = {
  previewId: string;
  tenantId?: string;
  campaignId?: string;
  draftRevision?: number;
  /** By which rules the folded side was folded; absent: by the first. */
  foldVersion?: number;
  /**
   * Present: `before` is the state as of then, `after` that of now. Else: live, and with the draft.
   */
  until?: string;
  generation: number;
  /** By which rules that generation folds; absent: by the first. */
  liveFoldVersion?: number;
  /** Up to where both sides had read the log. */
  positions: Positions;
  /** Events that were folded. */
  facts: number;
  /** The folded side: with the draft, or as of `until`. */
  tenants: ReportedTenant[];
  counts: Counts;
  credits: CreditSums;
  byRule: RuleSums[];
  /** The largest differences first, at most 100; `referrers` counts all that have one. */
  byReferrer: RecipientSums[];
  referrers: number;
  byMonth: MonthSums[];
  /** At most 20. */
  largest: LargeChange[];
};

export type ReportedTenant = {
  tenantId: string;
  decisions: HashedSet;
  rewards: HashedSet;
  recipients: HashedSet;
};

/** Counts rewards, told apart by their entitled credits. */
export type Counts = {
  unchanged: number;
  new: number;
  withdrawn: number;
  changed: number;
  /** Those that wait for an operator afterwards and did not before, unchanged ones included. */
  toReview: number;
};

export type CreditSums = {
  before: string;
  after: string;
  new: string;
  withdrawn: string;
  increased: string;
  decreased: string;
};

type BeforeAfter = { before: string; after: string };
export type RuleSums = {
  campaignId: string;
  ruleId: string;
  role: string;
  counts: Counts;
} & BeforeAfter;
export type RecipientSums = { recipientId: string; tenantId: string } & BeforeAfter;
export type MonthSums = { month: string; counts: Counts } & BeforeAfter;

export type LargeChange = {
  rewardId: string;
  kind: string;
  tenantId: string;
  recipientId: string;
  campaignId: string;
  ruleId: string;
  month: string;
  before: string;
  after: string;
  explanationBefore: string[];
  explanationAfter: string[];
};

import type { EventType } from '../event-record.ts';
import type { StateLine } from '../state-item.ts';

// What came of a job of the replay service: the `result` of each kind. Credits are exact decimals.

/** Next offset of each partition, `referral.events/0` → `123`. */
export type Positions = Readonly<Record<string, string>>;

export type HashedSet = { count: number; hash: string };

/** Hashes of what is compared; those of one tenant. */
export type TenantHashes = {
  tenantId: string;
  decisions: HashedSet;
  rewards: HashedSet;
  recipients: HashedSet;
};

export type VerifyResult = {
  outcome: 'identical' | 'different';
  generation: number;
  positions: Positions;
  tenants: VerifiedTenant[];
  /** Events that were folded. */
  events: number;
  /** Records that break their contract and count for neither side. */
  broken: number;
  frozenMs: number;
  differences: { count: number; shown: Difference[] };
};

export type VerifiedTenant = TenantHashes & {
  identical: boolean;
  /** What the log gives, where that is something else. */
  replayed?: Omit<TenantHashes, 'tenantId'>;
};

/** A differing item as operators and reports see it. */
export type Difference = {
  kind: StateLine['kind'];
  tenantId: string;
  /** eventId, rewardId or recipientId. */
  id: string;
  live: object | null;
  replayed: object | null;
  /** Names of members that differ. */
  fields: string[];
  /** The live item is another by now than it was in the snapshot. */
  changedSince?: true;
  liveExplanation: string[];
  replayedExplanation: string[];
};

export type CommitCheckResult = VerifyResult & {
  previewId: string;
  campaignId: string;
  revision: number;
  publishedAt: string;
  /** The revision as it was published gives what the preview showed, at its place of the log. */
  previewHolds: boolean;
  /**
   * Facts of the tenant that were received after the preview had read the log and before the
   * commit.
   */
  arrived: { events: number; shown: ArrivedFact[] };
};

export type ArrivedFact = {
  eventId: string;
  eventType: EventType;
  newUserId: string;
  occurredAt: string;
  receivedAt: string;
};

/** What a preview, or a look at a past state, tells. */
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
  tenants: TenantHashes[];
  counts: Counts;
  credits: BeforeAfter & Record<'new' | 'withdrawn' | 'increased' | 'decreased', string>;
  byRule: ({ campaignId: string; ruleId: string; role: string; counts: Counts } & BeforeAfter)[];
  /** The largest differences first, at most 100; `referrers` counts all that have one. */
  byReferrer: ({ recipientId: string; tenantId: string } & BeforeAfter)[];
  referrers: number;
  byMonth: ({ month: string; counts: Counts } & BeforeAfter)[];
  /** At most 20. */
  largest: LargeChange[];
};

/** Counts rewards, distinguished by their entitled credits. */
export type Counts = {
  unchanged: number;
  new: number;
  withdrawn: number;
  changed: number;
  /** Those that wait for an operator afterwards and did not before, unchanged ones included. */
  toReview: number;
};

export type BeforeAfter = { before: string; after: string };

export type LargeChange = BeforeAfter & {
  rewardId: string;
  kind: string;
  tenantId: string;
  recipientId: string;
  campaignId: string;
  ruleId: string;
  month: string;
  explanationBefore: string[];
  explanationAfter: string[];
};

export type SwapResult = {
  from: number;
  to: number;
  /** Absent: it was done by an earlier, killed run of this job, or before it. */
  frozenMs?: number;
  releasesHeldMs?: number;
  positions?: Positions;
};

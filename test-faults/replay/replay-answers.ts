// What the replay service answers, as far as specs look at it. Credits are exact decimals.

export type Job = { jobId: string; status: string; result?: unknown; error?: string };

export type HashedSet = { count: number; hash: string };
export type TenantHashes = {
  tenantId: string;
  decisions: HashedSet;
  rewards: HashedSet;
  recipients: HashedSet;
};

export type VerifyResult = {
  outcome: 'identical' | 'different';
  tenants: (TenantHashes & { identical: boolean })[];
  events: number;
  differences: { count: number; shown: { kind: string; id: string }[] };
};

export type CommitCheckResult = VerifyResult & {
  previewHolds: boolean;
  arrived: { events: number; shown: object[] };
};

export type Counts = Record<'unchanged' | 'new' | 'withdrawn' | 'changed' | 'toReview', number>;
export type Sums = { before: string; after: string };

export type Report = {
  previewId: string;
  facts: number;
  tenants: TenantHashes[];
  counts: Counts;
  credits: Sums & Record<'new' | 'withdrawn' | 'increased' | 'decreased', string>;
  byRule: (Sums & { counts: Counts })[];
  byMonth: (Sums & { counts: Counts })[];
  largest: { explanationBefore: string[]; explanationAfter: string[] }[];
};

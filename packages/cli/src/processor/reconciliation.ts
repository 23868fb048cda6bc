/** One page of a walk, as the admin API answers; see services/processor-events. */
export type ReconcilePage = {
  scanned: number;
  /** How far back in time the walk came, and where it ends (UTC); null before the first object. */
  reachedAt: string | null;
  endsAt?: string;
  findings: Finding[];
  appended: number;
  nextCursor: string | null;
};

export type Finding = Record<string, unknown> & {
  finding: 'missing' | 'different' | 'extra';
  type: string;
  objectId: string;
  /** The state of the item, when there is one. */
  state?: string;
  reason?: string;
  appended?: boolean;
  /** What Stripe says of it. */
  detail?: string;
  differences?: { pointer: string; ours: unknown; wanted: unknown }[];
};

/** What was found by all pages so far. */
export type Reconciliation = {
  connectionId: string;
  kinds: readonly ('invoices' | 'sessions' | 'refunds')[];
  since: string;
  /** Objects that Stripe listed. */
  scanned: number;
  appended: number;
  findings: Finding[];
  finished: boolean;
};

/** Missing with a reason that is known here: it is listed as an item, and tried again by itself. */
export function isKnown({ finding, state }: Finding): boolean {
  return finding === 'missing' && (state === 'unmatched' || state === 'waiting');
}

export function isInOrder({ findings }: Reconciliation): boolean {
  return findings.every((finding) => isKnown(finding) || finding.appended === true);
}

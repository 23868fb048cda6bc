import type { Claim } from './claim.ts';
import type { CodeHistory } from './code-history.ts';
import type { Revision } from './revision.ts';

/** What decisions depend on besides their own fact. May hold more than one fold needs. */
export type Surroundings = {
  /** By `recordKey(tenantId, ucc)`; no entry: nobody has published the code. */
  codes: ReadonlyMap<string, CodeHistory>;
  /** By business key; every fact's key has one. */
  claims: ReadonlyMap<string, Claim>;
  /** By `recordKey(tenantId, campaignId)`. */
  campaigns: ReadonlyMap<string, readonly Revision[]>;
};

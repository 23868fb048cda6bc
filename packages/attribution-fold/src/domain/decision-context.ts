import { recordKey } from '@tributary/contracts/topics';
import type { Modes } from './attribution-mode.ts';
import type { Claim } from './claim.ts';
import type { CodeHistory } from './code-history.ts';
import type { FoldVersion } from './fold-version.ts';
import type { Invoice } from './invoice.ts';
import type { Revision } from './revision.ts';
import type { Precedence } from './precedence.ts';
import type { UserState } from './user-state.ts';

/** What decisions depend on besides their own fact. May hold more than one fold needs. */
export type DecisionContext = {
  /** Which rules hold; the same for all of a generation. */
  foldVersion: FoldVersion;
  /** By `recordKey(tenantId, ucc)`; no entry: nobody has published the code. */
  codes: ReadonlyMap<string, CodeHistory>;
  /** By claim key; every one of a fact has an entry. */
  claims: ReadonlyMap<string, Claim>;
  /** By the key of any name of the invoice; no entry: no refund names it. */
  invoices: ReadonlyMap<string, Invoice>;
  /** By `recordKey(tenantId, campaignId)`. */
  campaigns: ReadonlyMap<string, readonly Revision[]>;
  /** By `recordKey(tenantId, newUserId)`; every user of a fact has an entry. */
  users: ReadonlyMap<string, UserState>;
  /** By {@link referralKey}: of the users that own a code, and of the owners towards them. */
  referrals: ReadonlyMap<string, Precedence>;
  /** By tenant; no entry: mode `event-code`. */
  modes: ReadonlyMap<string, Modes>;
};

/** Facts of the user that carry a code of the owner. */
export function referralKey(tenantId: string, newUserId: string, ownerId: string): string {
  return recordKey(tenantId, JSON.stringify([newUserId, ownerId]));
}

import type { Positions, TenantHashes } from '@tributary/contracts/admin/replay-results';
import type { CampaignRevisionRecord } from '@tributary/contracts/catalog-record';
import type { KafkaSettings } from '@tributary/runtime/variables';
import type { Logger } from '@tributary/runtime/logger';
import type { Progress } from '@tributary/contracts/admin/replay-answers';
import type { ItemDetail, LineFile } from '../domain/live-state.ts';

/** How the log is reached. Topics are named by the prefix; no generation plays a part in facts. */
export type LogSettings = { kafka: KafkaSettings; prefix: string };

/**
 * What of the log counts. `positions`: next offsets of every partition of events, codes, catalog
 * and issuances, by their names on the broker; a partition that is not named counts from 0, so
 * nothing of it. Absent: everything up to the ends as they are when the reading begins.
 * `receivedAt`: of that, only what was received, issued or published at that time or before.
 */
export type Until = { positions?: Positions | undefined; receivedAt?: string | undefined };

export type FoldHistory = {
  /**
   * Belongs to this job alone. What an earlier call left there is used: the log is not read twice,
   * and a call with later positions reads only what is missing. Removed by the caller.
   */
  dir: string;
  log: LogSettings;
  until: Until;
  /** Only this tenant is folded; the same of every call for one `dir`. */
  tenantId?: string | undefined;
  /** Default: the newest. */
  foldVersion?: number | undefined;
  /** Counts as if it were published. */
  draft?: CampaignRevisionRecord | undefined;
  /** Child processes; each stays under 512 MB. Default: 2. */
  workers?: number | undefined;
  /** Memory of each, and what it is when that was not enough. Replaced only by tests. */
  heapsMb?: readonly number[];
  /** Asked about once a second; while it says true, the work stands still. */
  yieldToLive?: (() => Promise<boolean>) | undefined;
  onProgress?: ((progress: Progress) => void) | undefined;
  /** Ends the child processes; the promise rejects with its reason. */
  signal: AbortSignal;
  logger: Logger;
};

/**
 * Reading only: `foldHistory` does it by itself; before a freeze, so that little is left to read.
 */
export type SpoolHistory = Omit<FoldHistory, 'draft' | 'foldVersion'>;

/**
 * What came of the whole history. It lies in files under `dir`, in the form of `toLine`
 * (contracts), until the next call for that `dir`.
 */
export type FoldedState = {
  /** Up to where the log was read, by the names of topics on the broker. */
  positions: Positions;
  /** Distinct events that were folded. */
  events: number;
  /** Records that break their contract: left out here, dead letters of the projections. */
  broken: number;
  /** Every tenant that has a line, in order of its id. */
  tenants: readonly FoldedTenant[];
  /** All lines, each once, in any order; decisions and others lie in files of their own. */
  files: { decisions: readonly LineFile[]; rewards: readonly LineFile[] };
  /**
   * In full, in any order; an id that the fold does not have is left out. For a few hundred at
   * once.
   */
  explainItems(ids: {
    eventIds: readonly string[];
    rewardIds: readonly string[];
  }): Promise<readonly ItemDetail[]>;
};

export type FoldedTenant = TenantHashes & { facts: number };

/**
 * - `foldHistory(options: FoldHistory): Promise<FoldedState>` (fold-history.ts)
 * - `spoolHistory(options: SpoolHistory): Promise<Positions>` (spool-history.ts)
 *
 * Both throw {@link HistoryRefused} when the log cannot be folded by this release, and may be
 * called again with the same `dir` after any failure or kill.
 */
export class HistoryRefused extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'HistoryRefused';
  }
}

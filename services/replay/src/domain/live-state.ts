import type {
  Difference,
  Positions,
  TenantHashes,
} from '@tributary/contracts/admin/replay-results';
import type { StateLine } from '@tributary/contracts/state-item';

/** Which part of the state is looked at; neither: all of it. */
export type Narrowing = {
  tenantId?: string | undefined;
  /** newUserId of decisions; recipientId of rewards and recipients. */
  userId?: string | undefined;
};

/** Lines of `toLine` (contracts), one per row of text, in any order. */
export type LineFile = { path: string; lines: number };

/** Current state of both stages of one generation, at one cut of the log. */
export type LiveSnapshot = Narrowing & {
  generation: number;
  /** By which rules it folds. */
  foldVersion: number;
  attribution: StageSnapshot;
  rewards: StageSnapshot;
  /** How long attribution stood still for it. */
  frozenMs: number;
};

/**
 * `positions`: of all topics the stage reads. A fold compared with it has read exactly to there.
 */
export type StageSnapshot = { positions: Positions; file: LineFile };

/** One item that the two sides do not tell alike; `null`: this side has no such item. */
export type LineDifference =
  | { live: StateLine; replayed: StateLine }
  | { live: StateLine; replayed: null }
  | { live: null; replayed: StateLine };

export type Comparison = {
  identical: boolean;
  /** Every tenant that either side has, in order of its id. */
  tenants: (TenantComparison & { identical: boolean })[];
  differences: number;
};
export type TenantComparison = {
  tenantId: string;
  live: Omit<TenantHashes, 'tenantId'>;
  replayed: Omit<TenantHashes, 'tenantId'>;
};

/**
 * What a service or a fold tells about one item in full: a decision record without its version, or
 * a reward's content with amounts, state and sentences.
 */
export type ItemDetail = {
  kind: 'decision' | 'reward';
  id: string;
  content: Readonly<Record<string, unknown>>;
  explanation: readonly string[];
};

/**
 * The functions of `live/`, as jobs use them:
 *
 * - `takeLiveSnapshot(...)` (take-live-snapshot.ts): freezes, streams both stages into `dir`,
 *   unfreezes.
 * - `compareStates(...)` (compare-states.ts): hashes per tenant and every difference, in linear
 *   time and bounded memory whatever the number of lines or differences.
 * - `describeDifferences(...)` (describe-differences.ts): both sides of the first items looked up.
 */
export type TakeLiveSnapshot = (
  options: Narrowing & {
    /** Belongs to the job; files of an earlier try are overwritten. */
    dir: string;
    /** Absent: whichever is live when it is asked. */
    generation?: number | undefined;
    signal: AbortSignal;
    /** A try that did not come about, and why; it is tried again for a minute. */
    note(line: string): Promise<void>;
  },
) => Promise<LiveSnapshot>;

export type CompareStates = (options: {
  live: readonly LineFile[];
  replayed: readonly LineFile[];
  /** For files of its own, removed at the end. */
  dir: string;
  signal: AbortSignal;
  /** Awaited before the next one; in no order. */
  onDifference(difference: LineDifference): Promise<void> | void;
}) => Promise<Comparison>;

export type DescribeDifferences = (options: {
  generation?: number | undefined;
  differences: readonly LineDifference[];
  /** The fold's side: `explainItems` of its result. */
  replayedItems(ids: {
    eventIds: readonly string[];
    rewardIds: readonly string[];
  }): Promise<readonly ItemDetail[]>;
  signal: AbortSignal;
}) => Promise<Difference[]>;

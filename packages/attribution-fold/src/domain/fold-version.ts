/**
 * By which rules facts become decisions. A rule that changes what an existing fact earns is a new
 * version (decision 16): a generation folds by one of them for as long as it lives.
 *
 * - 1: the first rules.
 * - 2: equal legacy payments without invoice id and timestamp are one payment for 24 hours, and not
 *   for ever (untimed-payments.ts); what is dated in the future is decided by what was in force
 *   when it was received (in-force-at.ts).
 */
export const foldVersions = [1, 2] as const;
export type FoldVersion = (typeof foldVersions)[number];

/**
 * The version of a new deployment's first generation, and of every generation built from now on.
 */
export const newestFoldVersion: FoldVersion = 2;

export function isFoldVersion(version: number): version is FoldVersion {
  return foldVersions.some((known) => known === version);
}

/**
 * What one transaction decides again at most; the rest is left to the sweeper. Small in some tests.
 */
export type Limits = {
  /** Older events of a code or an invoice. */
  factsAtOnce: number;
  /**
   * For one user. With many users each may have fewer, so that it does not come to more than ten
   * times this.
   */
  factsOfUser: number;
  pageFacts: number;
  pageUsers: number;
};

export const usualLimits: Limits = {
  factsAtOnce: 1_000,
  factsOfUser: 1_000,
  pageFacts: 200,
  pageUsers: 50,
};

import type { Limits } from '../fold/batch-limits.ts';

/** Leave work to the sweeper, and in pages, that else only thousands of events would leave. */
export const smallLimits: Limits = { factsAtOnce: 1, factsOfUser: 2, pageFacts: 2, pageUsers: 2 };

/**
 * Moments of a delivery that kill tests and benchmarks hook into; production passes nothing.
 * - claimed: rows are locked and claimed, not yet committed;
 * - sending: before the POST;
 * - answered: the answer is there, its fact not yet on the log;
 * - told: the log has the fact, Postgres does not;
 * - flushing: the transaction of results is open, before its commit.
 */
export type Moment = 'claimed' | 'sending' | 'answered' | 'told' | 'flushing';
export type Observe = (moment: Moment) => void | Promise<void>;

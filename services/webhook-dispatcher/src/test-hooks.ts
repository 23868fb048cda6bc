/**
 * Test hooks of a delivery, for kill tests and benchmarks; production passes nothing.
 * - claimed: rows are locked and claimed, not yet committed;
 * - sending: before the POST;
 * - answered: the answer is there, its fact not yet on the log;
 * - recorded: the log has the fact, Postgres does not;
 * - flushing: the transaction of results is open, before its commit.
 */
export type TestHook = 'claimed' | 'sending' | 'answered' | 'recorded' | 'flushing';
export type Observe = (hook: TestHook) => void | Promise<void>;

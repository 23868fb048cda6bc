/**
 * Test hooks on the way from a webhook to its facts, for kill tests; production passes
 * nothing.
 * - received: a webhook is evaluated, its record not yet on the log;
 * - kept: the log has the record, the webhook is not yet answered;
 * - applied: a batch of the log is applied, its transaction not yet committed;
 * - fetched: Stripe answered, its answer is not yet on the log;
 * - appended: the log has the answer, its need is not yet settled.
 */
export type TestHook = 'received' | 'kept' | 'applied' | 'fetched' | 'appended';
export type Observe = (hook: TestHook) => void | Promise<void>;

/**
 * Moments on the way from a webhook to its facts that kill tests hook into; production passes
 * nothing.
 * - received: a webhook is judged, its record not yet on the log;
 * - kept: the log has the record, the webhook is not yet answered;
 * - applied: a batch of the log is applied, its transaction not yet committed;
 * - fetched: Stripe answered, its answer is not yet on the log;
 * - appended: the log has the answer, its need is not yet settled.
 */
export type Moment = 'received' | 'kept' | 'applied' | 'fetched' | 'appended';
export type Observe = (moment: Moment) => void | Promise<void>;

import { patience } from './patience.ts';

/**
 * How long consumers of tests may be silent before Kafka gives their partitions to others: whoever
 * is killed is missed after three seconds instead of ten. Longer where a process that lives may be
 * late.
 */
export const testSessionTimeoutMs = Math.min(10_000, Math.max(3_000, Math.ceil(500 * patience)));

import type { Order as AnyOrder } from '../obey-orders.ts';

/** The test hooks of a dispatcher, as its `observe` names them. */
export const testHooks = ['claimed', 'sending', 'answered', 'recorded', 'flushing'] as const;
export type TestHook = (typeof testHooks)[number];
export type Order = AnyOrder<TestHook>;

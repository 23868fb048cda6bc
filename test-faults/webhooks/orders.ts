import type { Order as AnyOrder } from '../obey-orders.ts';

/** Where a dispatcher under test can be met; the words of its `observe`. */
export const moments = ['claimed', 'sending', 'answered', 'told', 'flushing'] as const;
export type Moment = (typeof moments)[number];
export type Order = AnyOrder<Moment>;

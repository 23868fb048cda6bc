import type { Tx } from '@tributary/runtime/postgres';

/** A transaction, or the pool for a statement that is a transaction of its own. */
export type Queryable = Pick<Tx, 'query'>;

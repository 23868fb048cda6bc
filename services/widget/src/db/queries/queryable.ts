import type pg from 'pg';

/** A pool or a connection of the read model. */
export type Queryable = Pick<pg.Pool, 'query'>;

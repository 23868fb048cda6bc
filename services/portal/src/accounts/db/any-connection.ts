import type { Tx } from '@tributary/runtime/postgres';
import type pg from 'pg';

/** The pool, for a statement that stands alone. */
export type Db = Tx | pg.Pool;

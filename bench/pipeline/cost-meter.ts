import type pg from 'pg';
import { type Counted, countInstructions, type Counting } from './instructions.ts';
import { ownRole } from './servers.ts';
import { readStatements, resetStatements, type StatementCost } from './statement-costs.ts';
import { readWalCosts, type WalCosts } from './wal-costs.ts';

/** What is counted while one run's events go through, beside what every run counts. */
export type CostMeter = {
  /** The processes are down. */
  begin(db: pg.ClientBase): Promise<void>;
  /** They have just been started. */
  started(pids: Record<string, number>): void;
  /** They have nothing left to do, and still run. */
  drained(): Promise<void>;
  /** They are down again; `wal` is what was written meanwhile. */
  end(db: pg.ClientBase, wal: { from: string; to: string }): Promise<void>;
  costs(): Costs;
};

export type Costs = {
  statements: StatementCost[];
  /** Those of the watching itself, to be taken off Postgres' own count of transactions. */
  ownTransactions: number;
  wal: WalCosts;
  instructions: Counted;
};

/**
 * Statements from pg_stat_statements, WAL and index insertions record by record from pg_walinspect,
 * instructions from the processors' own counters where `perf` has them. All of it costs something
 * itself, so no speed is taken from such a run.
 */
export function createCostMeter(pids: { postgres: number; kafka: number }): CostMeter {
  const costs: Partial<Costs> = {};
  const counting: Counting[] = [];
  return {
    async begin(db) {
      await db.query('create extension if not exists pg_stat_statements');
      await db.query('create extension if not exists pg_walinspect');
      // Every session of the database that begins from now on.
      await db.query(
        `do $$ begin execute format(
           'alter database %I set pg_stat_statements.track = ''top''', current_database()); end $$`,
      );
      await db.query(`set pg_stat_statements.track = 'top'`);
      // What was written is looked at when all is done.
      await db.query(`alter system set wal_keep_size = '64GB'`);
      await db.query('select pg_reload_conf()');
      await resetStatements(db);
      counting.push(...countInstructions(pids));
    },
    started: (own) => void counting.push(...countInstructions(own)),
    async drained() {
      const counts = await Promise.all(counting.map((one) => one.end()));
      costs.instructions = Object.fromEntries(counts);
    },
    async end(db, wal) {
      const { statements, ownTransactions } = await readStatements(db, ownRole);
      await db.query(`set pg_stat_statements.track = 'none'`);
      costs.wal = await readWalCosts(db, wal);
      await db.query('alter system reset wal_keep_size');
      await db.query('select pg_reload_conf()');
      Object.assign(costs, { statements, ownTransactions });
    },
    costs() {
      const { statements, ownTransactions, wal, instructions } = costs;
      if (!statements || ownTransactions === undefined || !wal || !instructions) {
        throw new Error('nothing was counted');
      }
      return { statements, ownTransactions, wal, instructions };
    },
  };
}

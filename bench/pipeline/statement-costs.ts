import type pg from 'pg';

export type StatementCost = {
  /** Its beginning, on one line. */
  statement: string;
  role: string;
  /** `begin`, `commit` and the like. */
  isControl: boolean;
  calls: number;
  ms: number;
  rows: number;
  walBytes: number;
};

export async function resetStatements(db: pg.ClientBase): Promise<void> {
  await db.query(
    `select pg_stat_statements_reset(0, oid, 0) from pg_database where datname = current_database()`,
  );
}

/** Those of this database, the dearest first; what the benchmark's own role asked is counted. */
export async function readStatements(
  db: pg.ClientBase,
  ownRole: string,
): Promise<{ statements: StatementCost[]; ownTransactions: number }> {
  const { rows } = await db.query<StatementCost>(
    `select query as statement, rolname as role,
       query ~* '^\\s*(begin|commit|rollback|start|set|savepoint|release)\\M' as "isControl",
       sum(calls)::float8 as calls, sum(total_exec_time)::float8 as ms, sum(rows)::float8 as rows,
       sum(wal_bytes)::float8 as "walBytes"
     from pg_stat_statements join pg_roles on pg_roles.oid = userid
     join pg_database on pg_database.oid = dbid
     where datname = current_database()
     group by 1, 2 order by ms desc`,
  );
  const lost = await db.query<{ dealloc: string }>('select dealloc from pg_stat_statements_info');
  if (Number(lost.rows[0]!.dealloc) > 0) throw new Error('Postgres has forgotten statements');
  const [own, others] = [
    rows.filter(({ role }) => role === ownRole),
    rows.filter(({ role }) => role !== ownRole),
  ];
  if (others.length === 0) throw new Error('no statements were counted');
  return {
    statements: others.map((row) => ({ ...row, statement: onOneLine(row.statement) })),
    ownTransactions: own.reduce((sum, { calls }) => sum + calls, 0),
  };
}

const onOneLine = (text: string) => text.replace(/\s+/g, ' ').trim();

import { readFile } from 'node:fs/promises';
import type { MigrationBuilder } from 'node-pg-migrate';

/**
 * The files of a set, for node-pg-migrate. A file whose name ends in `.concurrently.sql` is run
 * outside of a transaction, statement by statement, and waits for locks without a limit: it is for
 * `create index concurrently`, which keeps nobody from writing meanwhile. What came before it in
 * its set is committed first. If it fails, an index may be left that is not valid, and the file is
 * run again from its beginning, so it first drops what it makes:
 *
 * ```sql
 * drop index concurrently if exists delivery_by_day;
 * create index concurrently delivery_by_day on delivery (day);
 * ```
 *
 * `lockLimitMs` is what the session goes on with.
 */
export function loadSqlMigrations(
  files: readonly string[],
  { lockLimitMs }: { lockLimitMs: number },
): Promise<SqlMigration[]> {
  return Promise.all(
    files.map(async (file) => {
      const sql = await readFile(file, 'utf8');
      const up = file.endsWith('.concurrently.sql')
        ? outsideOfTransaction(sql, lockLimitMs)
        : (builder: MigrationBuilder) => builder.sql(sql);
      return { id: file, filePaths: [file], actions: { up, down: false as const } };
    }),
  );
}

type SqlMigration = {
  id: string;
  filePaths: string[];
  actions: { up: (builder: MigrationBuilder) => void; down: false };
};

/** A string with several statements would be a transaction of its own. */
function outsideOfTransaction(sql: string, lockLimitMs: number) {
  const statements = sql
    .replace(/^\s*--.*$/gm, '')
    .split(/;\s*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
  return (builder: MigrationBuilder): void => {
    builder.noTransaction();
    builder.sql('set lock_timeout = 0');
    for (const statement of statements) builder.sql(statement);
    builder.sql(`set lock_timeout = ${lockLimitMs}`);
  };
}

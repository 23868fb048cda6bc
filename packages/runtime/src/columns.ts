type Column<R> = (keyof R & string) | ((row: R) => unknown);

/**
 * Rows as one array for each column, as `unnest` takes them: a member by its name, or what a
 * function makes of the row. What is undefined is null there.
 */
export function columnsOf<R>(rows: readonly R[], ...columns: readonly Column<R>[]): unknown[][] {
  return columns.map((column) =>
    rows.map((row) => (typeof column === 'function' ? column(row) : row[column]) ?? null),
  );
}

import type { Problem } from './failures.ts';

/** A heading and its fields, as readable lines. */
export function lines(heading: string, fields: Record<string, unknown>): string {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  const width = Math.max(0, ...entries.map(([name]) => name.length));
  const rows = entries.map(([name, value]) => `  ${name.padEnd(width)}  ${printable(value)}`);
  return [printable(heading), ...rows].join('\n');
}

/** Below a secret. */
export const storeNow = 'Store the secret now: it is not shown again.';

/** How to see the next page of a list, where there is one. */
export function nextPage(cursor: unknown): string[] {
  return typeof cursor === 'string' ? [printable(`There are more: --cursor ${cursor}`)] : [];
}

/** Rows under their column names. */
export function table(
  columns: readonly string[],
  rows: readonly Record<string, unknown>[],
): string {
  const cells = [[...columns], ...rows.map((row) => columns.map((name) => printable(row[name])))];
  const widths = columns.map((_, i) => Math.max(...cells.map((row) => row[i]?.length ?? 0)));
  return cells
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

export function describeProblem(problem: Problem): string {
  const { status, code, detail, errors = [], instance } = problem;
  const violations = errors.map(
    (error) =>
      `  ${error.pointer === '' ? '(the body)' : error.pointer}: ${error.detail} (${error.code})`,
  );
  return [
    `Refused, ${status} ${code}: ${detail}`,
    ...violations,
    ...(instance === undefined ? [] : [`  request ${instance}`]),
  ]
    .map(printable)
    .join('\n');
}

/** One line without control characters: what others wrote must not steer the terminal. */
export function printable(value: unknown): string {
  if (value === null || value === undefined) return '-';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.replaceAll(/[\p{Cc}\p{Cf}]/gu, '\ufffd');
}

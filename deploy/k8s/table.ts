/** What one phase showed. */
export type Row = {
  phase: string;
  asked: string;
  seen: string;
  ok: boolean;
};

const titles = { phase: 'phase', asked: 'what was asked', seen: 'what was seen', ok: 'ok' };

/** The rows as a table in Markdown, with columns of one width for who reads them on a terminal. */
export function tableOf(rows: readonly Row[]): string {
  const cells = [titles, ...rows.map((row) => ({ ...row, ok: row.ok ? 'yes' : 'NO' }))].map(
    ({ phase, asked, seen, ok }) =>
      [phase, asked, seen, ok].map((cell) => cell.replaceAll('|', '/')),
  );
  const widths = [0, 1, 2, 3].map((i) => Math.max(...cells.map((row) => row[i]!.length)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, i) => cell.padEnd(widths[i]!)).join(' | ')} |`;
  const [head, ...body] = cells;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [line(head!), rule, ...body.map(line)].join('\n');
}

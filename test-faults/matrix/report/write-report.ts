import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { reportPage } from './report-page.ts';
import type { ReportRow } from './report-row.ts';

/** Writes `report.html` into a folder, in place of an earlier one; gives the file. */
export function writeReport(dir: string, rows: readonly ReportRow[], planned: number): string {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const file = join(dir, 'report.html');
  // Counterexamples may have what must not be seen.
  writeFileSync(file, reportPage(rows, planned, new Date()), { mode: 0o600 });
  return file;
}

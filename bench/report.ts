/** One benchmark's result: what was measured, and how it compares within the same run. */
export type Report = {
  name: string;
  figures: Record<string, number>;
  /** What the ratios are of what, e.g. `gathered / awaited`. Machines are noisy; ratios are not. */
  ratios: Record<string, number>;
  /** Printed tables; the first row of each is its head. */
  tables: readonly (readonly (readonly (string | number)[])[])[];
  notes?: readonly string[];
  /** Figures and ratios of several rounds, by the same names. */
  spreads?: Record<string, Spread>;
  /** What is too much for a table of figures; printed in parts, and whole in `--json`. */
  details?: Record<string, unknown>;
  /** Promises of the system that were not kept in this run, for benchmarks that check some. */
  broken?: readonly string[];
};

/** A figure of several rounds. */
export type Spread = { median: number; min: number; max: number; rounds: readonly number[] };

export type Benchmark = (options: {
  progress: (line: string) => void;
  /** How many requests a look at memory takes; 0 leaves it out. */
  requests: number;
  /** How many events go through the pipeline. */
  events: number;
  /** How many webhooks are drained in each run. */
  deliveries: number;
  /** How many events a replay folds. */
  history: number;
  /** How many invoices the processor's backlog has. */
  invoices: number;
  /** How long `soak` offers more than is accepted. */
  minutes: number;
  /** How often `pipeline` lets what it compares take turns. */
  rounds: number;
  /** Which parts of `pipeline` are run; all unless told otherwise. */
  parts: readonly string[] | undefined;
  /** A checkout of another version, for `pipeline` to measure in the same rounds. */
  beside: string | undefined;
  /** A folder for CPU profiles of the processes that are measured; none without. */
  cpuProfiles: string | undefined;
}) => Promise<Report>;

export function printReport(report: Report): void {
  console.log(`\n${report.name}\n`);
  for (const table of report.tables) printTable(table.map((row) => row.map(String)));
  for (const [ratio, value] of Object.entries(report.ratios)) {
    console.log(`  ${ratio}: ${value.toFixed(2)}`);
  }
  for (const line of report.notes ?? []) console.log(`  ${line}`);
}

function printTable(rows: readonly string[][]): void {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((r) => r[i]?.length ?? 0)));
  for (const [index, row] of rows.entries()) {
    const cells = row.map((cell, i) =>
      i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0),
    );
    console.log(`  ${cells.join('  ')}`);
    if (index === 0) console.log(`  ${widths.map((w) => '-'.repeat(w)).join('  ')}`);
  }
  console.log('');
}

export function toJson({ tables: _tables, ...report }: Report): string {
  return JSON.stringify(report);
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}

/** Nearest-rank percentile, 0 < p ≤ 100. */
export function percentile(values: readonly number[], p: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((p / 100) * sorted.length) - 1)] ?? NaN;
}

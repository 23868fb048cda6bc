import { parseArgs } from 'node:util';
import { benchIngest } from './ingest/bench-ingest.ts';
import { benchIdle } from './idle/bench-idle.ts';
import { printReport, type Report, toJson } from './report.ts';

/** `npm run bench -- NAME [--json]`: prints a table, or one JSON object. */
const benchmarks: Record<string, (progress: (line: string) => void) => Promise<Report>> = {
  ingest: benchIngest,
  idle: benchIdle,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean', default: false } },
});
const bench = benchmarks[positionals[0] ?? ''];
if (!bench) {
  console.error(
    `usage: npm run bench -- NAME [--json]\n  NAME: ${Object.keys(benchmarks).join(', ')}`,
  );
  process.exit(2);
}
const report = await bench((line) => console.error(`  ${line}`));
if (values.json) console.log(toJson(report));
else printReport(report);
process.exit(0);

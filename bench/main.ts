import { parseArgs } from 'node:util';
import { benchIngest } from './ingest/bench-ingest.ts';
import { benchReject } from './ingest/bench-reject.ts';
import { benchIdle } from './idle/bench-idle.ts';
import { type Benchmark, printReport, toJson } from './report.ts';

/**
 * `npm run bench -- NAME [--json] [--requests N]`: prints a table, or one JSON object. `--requests`
 * is for how long the benchmark `ingest` watches memory.
 */
const benchmarks: Record<string, Benchmark> = {
  ingest: benchIngest,
  reject: benchReject,
  idle: benchIdle,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    requests: { type: 'string', default: '1000000' },
  },
});
const bench = benchmarks[positionals[0] ?? ''];
const requests = Number(values.requests);
if (!bench || !Number.isInteger(requests) || requests < 0) {
  console.error(
    `usage: npm run bench -- NAME [--json] [--requests N]\n  NAME: ${Object.keys(benchmarks).join(', ')}`,
  );
  process.exit(2);
}
const report = await bench({ progress: (line) => console.error(`  ${line}`), requests });
if (values.json) console.log(toJson(report));
else printReport(report);
process.exit(0);

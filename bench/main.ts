import { parseArgs } from 'node:util';
import { benchIngest } from './ingest/bench-ingest.ts';
import { benchReject } from './ingest/bench-reject.ts';
import { benchEdge } from './edge/bench-edge.ts';
import { benchIdle } from './idle/bench-idle.ts';
import { benchPipeline } from './pipeline/bench-pipeline.ts';
import { benchReplay } from './replay/bench-replay.ts';
import { benchScale } from './scale/bench-scale.ts';
import { benchPortal } from './portal/bench-portal.ts';
import { benchProcessor } from './processor/bench-processor.ts';
import { type Benchmark, printReport, toJson } from './report.ts';
import { benchSoak } from './soak/bench-soak.ts';
import { benchWebhooks } from './webhooks/bench-webhooks.ts';
import { benchWidget } from './widget/bench-widget.ts';

/**
 * `npm run bench -- NAME [--json] [--requests N] [--events N] [--deliveries N] [--history N]
 * [--invoices N] [--minutes N] [--rounds N] [--parts A,B] [--beside DIR] [--cpu-profiles DIR]`:
 * prints a table, or one JSON object. `--requests` is for how long the benchmark `ingest` watches
 * memory, `--events` how many go through `pipeline` in all `--rounds`, through each run of `scale`
 * (20,000 at most), or are listed by `portal`, `--deliveries` how many `webhooks` drains,
 * `--history` how many `replay` folds, `--invoices` how many `processor`, `--minutes` how long
 * `soak` lasts. `--parts` are those of `pipeline` that are run, `--beside` is a checkout of another
 * version that it measures too. `pipeline`, `webhooks` and `processor` write profiles of the
 * processes that they measure.
 *
 * The exit code is 1 when a promise that a benchmark checks was not kept.
 */
const benchmarks: Record<string, Benchmark> = {
  ingest: benchIngest,
  reject: benchReject,
  idle: benchIdle,
  edge: benchEdge,
  soak: benchSoak,
  pipeline: benchPipeline,
  webhooks: benchWebhooks,
  replay: benchReplay,
  scale: benchScale,
  portal: benchPortal,
  processor: benchProcessor,
  widget: benchWidget,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    requests: { type: 'string', default: '1000000' },
    events: { type: 'string' },
    deliveries: { type: 'string', default: '40000' },
    history: { type: 'string', default: '1000000' },
    invoices: { type: 'string', default: '20000' },
    minutes: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '3' },
    parts: { type: 'string' },
    beside: { type: 'string' },
    'cpu-profiles': { type: 'string' },
  },
});
const bench = benchmarks[positionals[0] ?? ''];
const requests = Number(values.requests);
const events = Number(values.events ?? (positionals[0] === 'portal' ? 1_000_000 : 200_000));
const deliveries = Number(values.deliveries);
const history = Number(values.history);
const invoices = Number(values.invoices);
const minutes = Number(values.minutes);
const rounds = Number(values.rounds);
const isCount = (value: number, least: number) => Number.isInteger(value) && value >= least;
const counts = [events, deliveries, history, invoices];
const areCounts = isCount(requests, 0) && isCount(rounds, 1) && isCount(minutes, 1);
if (!bench || !areCounts || !counts.every((count) => isCount(count, 1_000))) {
  console.error(
    'usage: npm run bench -- NAME [--json] [--requests N] [--events N] [--deliveries N] ' +
      '[--history N] [--invoices N] [--minutes N] [--rounds N] [--parts A,B] ' +
      '[--beside DIR] [--cpu-profiles DIR]\n' +
      `  NAME: ${Object.keys(benchmarks).join(', ')}; ` +
      'all others but requests, minutes and rounds: at least 1000',
  );
  process.exit(2);
}
const report = await bench({
  progress: (line) => console.error(`  ${line}`),
  requests,
  events,
  deliveries,
  history,
  invoices,
  minutes,
  rounds,
  parts: values.parts?.split(','),
  beside: values.beside,
  cpuProfiles: values['cpu-profiles'],
});
if (values.json) console.log(toJson(report));
else printReport(report);
process.exit(report.broken?.length ? 1 : 0);

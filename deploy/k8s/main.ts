import { readOptions, usage } from './options.ts';
import { runK8s } from './run-k8s.ts';
import { tableOf } from './table.ts';

// `npm run k8s [-- --only PHASES --keep --minutes M | --from CHECKOUT | --build]`: proves on a real
// Kubernetes on this machine that consumers are scaled independently. Exit code 0: every phase
// showed what it should.

const options = readOptions(process.argv.slice(2));
if (options === undefined) {
  console.error(usage);
  process.exit(2);
}
if (process.getuid?.() !== 0) {
  console.error('npm run k8s makes network namespaces and mounts, for which it must be root');
  process.exit(2);
}

const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => interrupted.abort(new Error('given up')));
}
const beganAt = performance.now();
const say = (text: string) => {
  const seconds = ((performance.now() - beganAt) / 1_000).toFixed(0).padStart(4);
  console.error(`${seconds} s  ${text}`);
};
try {
  const { signal } = interrupted;
  const rows = await runK8s({ options, signal, say, report: (all) => console.log(tableOf(all)) });
  process.exitCode = rows.every(({ ok }) => ok) ? 0 : 1;
} catch (error) {
  if (interrupted.signal.aborted) console.error('given up; what was started is removed');
  else console.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.exitCode = 1;
}
// What a failed start still waits for has nothing left to wait for.
process.exit();

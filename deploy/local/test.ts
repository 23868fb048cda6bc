import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getServers, stopServers } from '@tributary/testkit/servers';
import { readOptions } from './test/options.ts';
import { runStage, type Counts, type StageContext } from './test/run-stage.ts';
import type { Stage } from './test/stages.ts';

// `npm test`: every stage in turn, whatever the ones before found, so that one run shows all there
// is to mend. Ports and data are its own, so it runs beside `npm start`. The last line is always
// `N passed, N failed`.

const options = readOptions(process.argv.slice(2));
if ('mistake' in options) {
  process.stderr.write(`${options.mistake}\n`);
  process.exit(2);
}

const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => interrupted.abort());
}

const temp = mkdtempSync(join(tmpdir(), 'tributary-npm-test-'));
const total: Counts = { passed: 0, failed: 0 };
try {
  const context = contextOf(options.long);
  for (const stage of options.chosen) {
    if (interrupted.signal.aborted) break;
    add(total, await timed(stage, context));
  }
} finally {
  rmSync(temp, { recursive: true, force: true });
}
if (interrupted.signal.aborted) {
  say('interrupted');
  total.failed += 1;
}
say(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 ? 0 : 1;

function contextOf(long: boolean): StageContext {
  const env = { ...process.env, ...(long ? { TRIBUTARY_TEST_LONG: '1' } : {}) };
  const root = join(import.meta.dirname, '..', '..');
  process.chdir(root);
  return { root, temp, env, signal: interrupted.signal, say };
}

async function timed(stage: Stage, context: StageContext): Promise<Counts> {
  const startedAt = Date.now();
  say(`\n── ${stage.name} ──`);
  const counts = await runWithServers(stage, context).catch((error: unknown) => {
    say(
      `${stage.name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    );
    return { passed: 0, failed: 1 };
  });
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  say(`── ${stage.name}: ${counts.passed} passed, ${counts.failed} failed, ${seconds} s ──`);
  return counts;
}

/** Integration tests share one set of servers, which they find by a file (testkit/servers.ts). */
async function runWithServers(stage: Stage, context: StageContext): Promise<Counts> {
  if (stage.kind === 'check' || !stage.sharedServers) return runStage(stage, context);
  const file = join(temp, 'servers.json');
  try {
    writeFileSync(file, JSON.stringify(await getServers()));
    const env = { ...context.env, TRIBUTARY_TEST_SERVERS: file };
    return await runStage(stage, { ...context, env });
  } finally {
    await stopServers();
  }
}

function add(sum: Counts, counts: Counts): void {
  sum.passed += counts.passed;
  sum.failed += counts.failed;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getServers, stopServers } from '@tributary/testkit/servers';
import { tellFailures } from './test/failure.ts';
import { readOptions } from './test/options.ts';
import { runStage, sumOf, type Outcome, type StageContext } from './test/run-stage.ts';
import type { Stage } from './test/stages.ts';

// `npm test`: every stage in turn, whatever the ones before found, so that one run shows all there
// is to mend. Ports and data are its own, so it runs beside `npm start`. The last line is always
// `N passed, N failed`; what failed is told once more before it.

const options = readOptions(process.argv.slice(2), process.env);
if ('mistake' in options) {
  process.stderr.write(`${options.mistake}\n`);
  process.exit(2);
}

const { chosen, long, seed } = options;
const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => interrupted.abort());
}

const temp = mkdtempSync(join(tmpdir(), 'tributary-npm-test-'));
const outcomes: Outcome[] = [];
try {
  const context = contextOf();
  for (const stage of chosen) {
    if (interrupted.signal.aborted) break;
    outcomes.push(await timed(stage, context));
  }
} finally {
  rmSync(temp, { recursive: true, force: true, maxRetries: 5 });
}
if (interrupted.signal.aborted) outcomes.push(failed('interrupted', ''));
const { passed, failures } = sumOf(outcomes);
if (failures.length > 0) {
  say(`\n── what failed, with seed ${seed} ──\n\n${tellFailures(failures)}`);
}
say(`${passed} passed, ${failures.length} failed`);
process.exitCode = failures.length === 0 ? 0 : 1;

function contextOf(): StageContext {
  const env = {
    ...process.env,
    TRIBUTARY_TEST_SEED: String(seed),
    // Hundreds of processes of the same few programs are started: compiling them takes most of
    // that.
    NODE_COMPILE_CACHE: join(temp, 'compile-cache'),
    ...(long ? { TRIBUTARY_TEST_LONG: '1' } : {}),
  };
  const root = join(import.meta.dirname, '..', '..');
  process.chdir(root);
  return { root, temp, env, signal: interrupted.signal, write, lingerMs: 15_000 };
}

async function timed(stage: Stage, context: StageContext): Promise<Outcome> {
  const startedAt = Date.now();
  say(`\n── ${stage.name}${stage.kind === 'mocha' ? `, seed ${seed}` : ''} ──`);
  const outcome = await runWithServers(stage, context).catch((error: unknown) => {
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
    say(`${stage.name}: ${stack}`);
    return failed('could not run', stack);
  });
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  const counts = `${outcome.passed} passed, ${outcome.failures.length} failed`;
  say(`── ${stage.name}: ${counts}, ${seconds} s ──`);
  return {
    passed: outcome.passed,
    failures: outcome.failures.map(({ title, details }) => {
      return { title: `${stage.name}: ${title}`, details };
    }),
  };
}

/**
 * The processes of a stage share one set of servers, which they find by a file
 * (testkit/servers.ts).
 */
async function runWithServers(stage: Stage, context: StageContext): Promise<Outcome> {
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

function failed(title: string, details: string): Outcome {
  return { passed: 0, failures: [{ title, details }] };
}

function say(line: string): void {
  write(`${line}\n`);
}

function write(text: string): void {
  process.stdout.write(text);
}

import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readChange } from './test/changed/changed-files.ts';
import { noteDurations } from './test/durations.ts';
import { printFailures } from './test/failure.ts';
import { choosePatience } from './test/measure-patience.ts';
import { readOptions } from './test/options.ts';
import { failed, runRounds } from './test/run-rounds.ts';
import { sumOf, type Outcome, type StageContext } from './test/run-stage.ts';
import { secondsByFile, printSlowest } from './test/slowest.ts';
import { isLong } from './test/spec-kinds.ts';
import type { IsWanted } from './test/stages.ts';

// `npm test`: every stage, whatever the others find, so that one run shows all there is to mend.
// Ports and data are its own, so it runs beside `npm start`. The last line is always
// `N passed, N failed`; what was slowest, and what failed, is told once more before it.

const options = readOptions(process.argv.slice(2), process.env);
if ('mistake' in options) {
  process.stderr.write(`${options.mistake}\n`);
  process.exit(2);
}

const { chosen, long, seed } = options;
const startedAt = Date.now();
const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => interrupted.abort());
}

const patience = await choosePatience(process.env);
say(`deadlines of tests × ${patience}`);
const root = join(import.meta.dirname, '..', '..');
process.chdir(root);
const temp = mkdtempSync(join(tmpdir(), 'tributary-npm-test-'));
// Services that root starts as other users keep there what Node has compiled.
chmodSync(temp, 0o711);
const outcomes: Outcome[] = [];
try {
  const change = options.changed ? readChange(root) : undefined;
  if (change) say(change.says);
  outcomes.push(...(await runRounds(chosen, contextOf(change?.isReached), seed)));
} catch (error) {
  const details = error instanceof Error ? (error.stack ?? error.message) : String(error);
  outcomes.push(failed('could not run', details));
} finally {
  rmSync(temp, { recursive: true, force: true, maxRetries: 5 });
}
if (interrupted.signal.aborted) outcomes.push(failed('interrupted', ''));
const { passed, failures, timings } = sumOf(outcomes);
if (timings.length > 0) say(`\n── what took longest ──\n\n${printSlowest(timings)}`);
if (options.noteDurations) noteDurations(secondsByFile(timings));
if (failures.length > 0) {
  say(`\n── what failed, with seed ${seed} ──\n\n${printFailures(failures)}`);
}
say(`── all: ${((Date.now() - startedAt) / 1000).toFixed(1)} s ──`);
say(`${passed} passed, ${failures.length} failed`);
process.exitCode = failures.length === 0 ? 0 : 1;

function contextOf(isReached: IsWanted = () => true): StageContext {
  const env = {
    ...process.env,
    TRIBUTARY_TEST_SEED: String(seed),
    TRIBUTARY_TEST_PATIENCE: String(patience),
    // Hundreds of processes of the same few programs are started: compiling them takes most of
    // that.
    NODE_COMPILE_CACHE: join(temp, 'compile-cache'),
    ...(long ? { TRIBUTARY_TEST_LONG: '1' } : {}),
  };
  const { signal } = interrupted;
  const isWanted = (file: string) => (long || !isLong(file)) && isReached(file);
  return { root, temp, env, signal, write, lingerMs: 15_000, isWanted };
}

function say(line: string): void {
  write(`${line}\n`);
}

function write(text: string): void {
  process.stdout.write(text);
}

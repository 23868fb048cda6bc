import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { isGreen, judgeEvidence } from './checker/check.ts';
import { evidenceFolders, readEvidence, writeEvidence } from './evidence.ts';
import { nemeses } from './nemeses.ts';
import { linesOf } from './report.ts';
import { runRow } from './run-row.ts';

/**
 * `npm run faults [-- --only NAMES --seed N --minutes M --evidence DIR]`: does one fault after the
 * other to a system of its own, judges all promises from outside and prints a line for each.
 * `--only` names faults or their numbers, with commas; `--minutes` is how long a fault lasts where
 * that is a matter of choice. `--check DIR` judges what an earlier run has left; `--list` shows the
 * faults.
 *
 * The exit code is 0 when every fault was done and every promise was judged and kept.
 */
const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '0.2' },
    evidence: { type: 'string' },
    check: { type: 'string' },
    list: { type: 'boolean', default: false },
  },
});
const seed = Number(values.seed);
const minutes = Number(values.minutes);
const names = values.only?.split(',');
const chosen = nemeses.filter(
  ({ name }, i) => names?.some((one) => one === name || one === String(i + 1)) ?? true,
);
const isKnown = names === undefined || chosen.length === new Set(names).size;
if (!isKnown || !Number.isInteger(seed) || seed < 0 || !(minutes > 0)) {
  console.error(
    'usage: npm run faults [-- --only NAMES --seed N --minutes M --evidence DIR | --check DIR | --list]\n' +
      `  NAMES, with commas: ${nemeses.map(({ name }) => name).join(', ')}`,
  );
  process.exit(2);
}

const interrupted = new AbortController();
if (values.list) list();
else process.exitCode = (await (values.check === undefined ? run() : check(values.check))) ? 0 : 1;

function list(): void {
  for (const [i, { name, says }] of nemeses.entries()) console.log(`${i + 1} ${name}: ${says}`);
}

/** Judges every folder again; true when all are green. */
function check(dir: string): Promise<boolean> {
  const folders = evidenceFolders(dir);
  if (folders.length === 0) console.error(`there is no evidence in ${dir}`);
  return Promise.resolve(folders.map(judge).every(Boolean) && folders.length > 0);
}

function judge(dir: string): boolean {
  const evidence = readEvidence(dir);
  const judged = judgeEvidence(evidence);
  for (const line of linesOf(evidence, judged, dir)) console.log(line);
  return isGreen(judged);
}

async function run(): Promise<boolean> {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => interrupted.abort(new Error('given up')));
  }
  const root = values.evidence ?? (await mkdtemp(join(tmpdir(), 'tributary-faults-')));
  console.log(`evidence is kept in ${root}`);
  let red = 0;
  for (const nemesis of chosen) {
    const number = nemeses.indexOf(nemesis) + 1;
    const dir = join(root, `${String(number).padStart(2, '0')}-${nemesis.name}`);
    const began = Date.now();
    const progress = (line: string) =>
      console.error(`  ${nemesis.name} ${((Date.now() - began) / 1_000).toFixed(0)}s: ${line}`);
    try {
      writeEvidence(
        dir,
        await runRow({
          ...{ number, nemesis, seed, windowMs: minutes * 60_000, progress },
          signal: interrupted.signal,
        }),
      );
      if (!judge(dir)) red += 1;
    } catch (error) {
      if (interrupted.signal.aborted) {
        console.log(`given up in ${nemesis.name}; its system is stopped, its data removed`);
        // What was under way with that system has nothing left to wait for.
        process.exit(1);
      }
      red += 1;
      const said = error instanceof Error ? (error.stack ?? error.message) : String(error);
      console.log(`✗ ${nemesis.name} seed=${seed} could not be run: ${said}`);
    }
  }
  console.log(
    red === 0
      ? `all green: ${chosen.length} of ${chosen.length}; every promise was judged and kept`
      : `red: ${red} of ${chosen.length}; judge again: npm run faults -- --check ${root}`,
  );
  return red === 0;
}

import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { judgeEvidence } from './checker/check.ts';
import { evidenceFolders, readEvidence, writeEvidence } from './evidence.ts';
import { mutantNames, runMutants } from './mutants/run-mutants.ts';
import { nemeses as always } from './nemeses.ts';
import { olderRelease } from './nemeses/releases.ts';
import { linesOf } from './report/lines.ts';
import { type ReportRow, reportRowOf, rowNotRun } from './report/report-row.ts';
import { writeReport } from './report/write-report.ts';
import { runRow } from './run-row.ts';

/**
 * `npm run faults [-- --only NAMES --seed N --minutes M --evidence DIR --older CHECKOUT]`: does one
 * fault after the other to a system of its own, judges all promises from outside and prints a line
 * for each. `--only` names faults or their numbers, with commas; `--minutes` is how long a fault
 * lasts where that is a matter of choice. `--older` is a checkout of an earlier release, with its
 * dependencies installed: with it there is a fault more, `older-release`. The folder of the
 * evidence also gets `report.html`, with a timeline of each fault. `--check DIR` judges what an
 * earlier run has left, and writes its report again; `--list` shows the faults. `--mutants` does
 * the faults to mutants of the product instead, of which `--only` names some: the promises must
 * catch each of them.
 *
 * The exit code is 0 when every fault was done and every promise was judged and kept.
 */
const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '0.2' },
    older: { type: 'string' },
    evidence: { type: 'string' },
    check: { type: 'string' },
    list: { type: 'boolean', default: false },
    mutants: { type: 'boolean', default: false },
  },
});
const seed = Number(values.seed);
const minutes = Number(values.minutes);
const { older } = values;
const nemeses = older === undefined ? always : [...always, olderRelease(resolve(older))];
const names = values.only?.split(',');
const chosen = nemeses.filter(
  ({ name }, i) => names?.some((one) => one === name || one === String(i + 1)) ?? true,
);
const isKnown =
  names === undefined ||
  (values.mutants
    ? names.every((name) => mutantNames.includes(name))
    : chosen.length === new Set(names).size);
if (!isKnown || !Number.isInteger(seed) || seed < 0 || !(minutes > 0)) {
  console.error(
    'usage: npm run faults [-- --only NAMES --seed N --minutes M --evidence DIR --older CHECKOUT | --check DIR | --list]\n' +
      `  NAMES, with commas: ${nemeses.map(({ name }) => name).join(', ')}\n` +
      `usage: npm run faults -- --mutants [--only NAMES --seed N --evidence DIR]\n` +
      `  NAMES, with commas: ${mutantNames.join(', ')}`,
  );
  process.exit(2);
}

const interrupted = new AbortController();
if (values.list) list();
else if (values.mutants) process.exitCode = (await tryMutants()) ? 0 : 1;
else process.exitCode = (await (values.check === undefined ? run() : check(values.check))) ? 0 : 1;

function list(): void {
  for (const [i, { name, says }] of nemeses.entries()) console.log(`${i + 1} ${name}: ${says}`);
}

/** Judges every folder again; true when all are green. */
function check(dir: string): Promise<boolean> {
  const folders = evidenceFolders(dir);
  if (folders.length === 0) console.error(`there is no evidence in ${dir}`);
  const rows = folders.map(judge);
  if (rows.length > 0) console.log(`report: ${writeReport(dir, rows, rows.length)}`);
  return Promise.resolve(rows.every(({ isGreen }) => isGreen) && rows.length > 0);
}

function judge(dir: string): ReportRow {
  const evidence = readEvidence(dir);
  const judged = judgeEvidence(evidence);
  for (const line of linesOf(evidence, judged, dir)) console.log(line);
  return reportRowOf(evidence, judged, dir);
}

function stopOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => interrupted.abort(new Error('given up')));
  }
}

function tryMutants(): Promise<boolean> {
  stopOnSignals();
  return runMutants({ names, seed, evidence: values.evidence, signal: interrupted.signal });
}

async function run(): Promise<boolean> {
  stopOnSignals();
  const root = values.evidence ?? (await mkdtemp(join(tmpdir(), 'tributary-faults-')));
  console.log(`evidence is kept in ${root}`);
  const rows: ReportRow[] = [];
  let report = '';
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
      rows.push(judge(dir));
    } catch (error) {
      if (interrupted.signal.aborted) {
        console.log(`given up in ${nemesis.name}; its system is stopped, its data removed`);
        // What was under way with that system has nothing left to wait for.
        process.exit(1);
      }
      const said = error instanceof Error ? (error.stack ?? error.message) : String(error);
      console.log(`✗ ${nemesis.name} seed=${seed} could not be run: ${said}`);
      rows.push(rowNotRun({ number, fault: nemesis.name, seed }, said));
    }
    // After every fault: should the next one be given up, there is a report of those before.
    report = writeReport(root, rows, chosen.length);
  }
  const red = rows.filter(({ isGreen }) => !isGreen).length;
  console.log(`report: ${report}`);
  console.log(
    red === 0
      ? `all green: ${chosen.length} of ${chosen.length}; every promise was judged and kept`
      : `red: ${red} of ${chosen.length}; judge again: npm run faults -- --check ${root}`,
  );
  return red === 0;
}

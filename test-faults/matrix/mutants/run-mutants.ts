import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isGreen, judgeEvidence } from '../checker/check.ts';
import { evidenceFolders, readEvidence } from '../evidence.ts';
import { copyCheckout } from './copy-checkout.ts';
import { judgeMutant, type MutantVerdict } from './judge-mutant.ts';
import { applyEdit } from './mutant.ts';
import { mutants } from './mutants.ts';

/** How long a fault lasts where that is a matter of choice. */
const minutes = '0.1';
const control = 'control';
const controlRow = 'kill-attribution';
const widest = 200;

export const mutantNames = [control, ...mutants.map(({ name }) => name)];

/**
 * `npm run faults -- --mutants`: does to each mutant of the product the fault under which it must
 * be seen, in a copy of this checkout, and judges what that leaves with the checker of this one.
 * First comes the product as it is, which must be green.
 *
 * @returns whether all were caught.
 */
export async function runMutants(options: {
  names: readonly string[] | undefined;
  seed: number;
  /** Where all evidence is kept; absent: only that of what was not as it should be is. */
  evidence: string | undefined;
  signal: AbortSignal;
}): Promise<boolean> {
  const { names, seed, signal } = options;
  const chosen = (name: string) => names?.includes(name) ?? true;
  const root = options.evidence ?? (await mkdtemp(join(tmpdir(), 'tributary-mutants-')));
  const copy = await copyCheckout();
  let done = 0;
  let wrong = 0;

  async function tell(row: string, name: string, judge: (dir: string) => MutantVerdict) {
    const dir = join(root, name);
    console.error(`${++done} of ${names?.length ?? mutantNames.length}: ${name} under ${row}`);
    const said = await runRowIn(copy.root, { row, seed, dir, signal });
    if (signal.aborted) return;
    const [folder] = existsSync(dir) ? evidenceFolders(dir) : [];
    const verdict: MutantVerdict =
      folder === undefined
        ? { isCaught: false, red: [], why: `its row could not be run: ${said}` }
        : judge(folder);
    console.log(lineOf(name, row, verdict, name === control));
    if (!verdict.isCaught) wrong += 1;
    else if (options.evidence === undefined) await rm(dir, { recursive: true, force: true });
  }

  try {
    if (chosen(control)) await tell(controlRow, control, judgeControl);
    for (const mutant of mutants.filter(({ name }) => chosen(name))) {
      if (signal.aborted) break;
      const putBack = applyEdit(copy.root, mutant);
      await tell(mutant.row, mutant.name, (dir) => judgeMutant(mutant, judge(dir)));
      putBack();
    }
  } finally {
    await copy.remove();
    const isOfUse = options.evidence !== undefined || wrong > 0;
    if (!isOfUse) await rm(root, { recursive: true, force: true });
  }
  if (signal.aborted) console.log('given up; the copy is removed, its system stopped');
  else {
    console.log(
      wrong === 0
        ? `as it should be: ${done} of ${done}; every mutant was caught by a promise that it breaks`
        : `not as it should be: ${wrong} of ${done}; what they left is in ${root}`,
    );
  }
  return wrong === 0 && !signal.aborted;
}

function judge(dir: string) {
  return judgeEvidence(readEvidence(dir));
}

/** The product as it is has nothing to be caught by. */
function judgeControl(dir: string): MutantVerdict {
  const judged = judge(dir);
  const { red } = judgeMutant({ promises: [] }, judged);
  const isCaught = isGreen(judged);
  return { isCaught, red, why: isCaught ? 'everything is green, as it must be' : 'it is red' };
}

function lineOf(
  name: string,
  row: string,
  { isCaught, red, why }: MutantVerdict,
  isControl: boolean,
) {
  const outcome = isControl
    ? isCaught
      ? 'green'
      : 'NOT green'
    : isCaught
      ? 'caught'
      : 'NOT caught';
  const promises = red.map(({ number }) => `I${number}`).join(' ');
  const columns = [
    name.padEnd(Math.max(...mutantNames.map(({ length }) => length))),
    row.padEnd(18),
    outcome.padEnd(10),
    promises.padEnd(20),
  ];
  const others = isCaught
    ? []
    : red.map(
        ({ number, first }) => `\n    I${number}: ${cut(first ?? 'nothing was there to judge')}`,
      );
  return `${isCaught ? '✓' : '✗'} ${columns.join(' ')} ${cut(why)}${others.join('')}`;
}

function cut(text: string): string {
  return text.length > widest ? `${text.slice(0, widest)}…` : text;
}

/** Runs the row in that copy; gives the last thing that it said. */
async function runRowIn(
  copy: string,
  { row, seed, dir, signal }: { row: string; seed: number; dir: string; signal: AbortSignal },
): Promise<string> {
  if (signal.aborted) return 'given up';
  const main = join(copy, 'test-faults/matrix/main.ts');
  const args = ['--only', row, '--seed', String(seed), '--minutes', minutes, '--evidence', dir];
  // In a group of its own: a Ctrl-C reaches it from here alone, once.
  const child = spawn(process.execPath, [main, ...args], {
    ...{ cwd: copy, detached: true, stdio: ['ignore', 'pipe', 'inherit'] },
  });
  let said = '';
  child.stdout.on('data', (text: Buffer) => (said = (said + text.toString()).slice(-2_000)));
  const stop = () => void child.kill('SIGTERM');
  signal.addEventListener('abort', stop);
  await once(child, 'close');
  signal.removeEventListener('abort', stop);
  return said.trim();
}

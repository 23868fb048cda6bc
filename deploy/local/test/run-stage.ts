import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runProcess, type Ending } from './run-process.ts';
import type { Stage } from './stages.ts';

export type Counts = { passed: number; failed: number };

export type StageContext = {
  root: string;
  /** For files of this run. */
  temp: string;
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
  say: (line: string) => void;
};

/** A check counts as one test. A mocha stage that ran no test counts as one that failed. */
export async function runStage(stage: Stage, context: StageContext): Promise<Counts> {
  return stage.kind === 'check' ? runCheck(stage, context) : runMocha(stage, context);
}

async function runCheck(
  stage: Extract<Stage, { kind: 'check' }>,
  { root, env, signal, say }: StageContext,
): Promise<Counts> {
  const [script = '', ...args] = stage.command;
  const ending = await runProcess([join(root, 'node_modules', script), ...args], {
    ...{ env, signal, limitMs: stage.limitMinutes * 60_000 },
  });
  if (ending === 'too-long') say(`${stage.name}: stopped after ${stage.limitMinutes} minutes`);
  return ending === 'ok' ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

async function runMocha(
  stage: Extract<Stage, { kind: 'mocha' }>,
  { root, temp, env, signal, say }: StageContext,
): Promise<Counts> {
  const files = await stage.files();
  if (files.length === 0) {
    say(`${stage.name}: there is no test, which counts as a failure`);
    return { passed: 0, failed: 1 };
  }
  const countsFile = join(temp, `${stage.name}.json`);
  rmSync(countsFile, { force: true });
  const args = [
    join(root, 'node_modules/mocha/bin/mocha.js'),
    ...['--reporter', join(root, 'deploy/local/test/counting-reporter.ts')],
    ...['--reporter-option', `countsFile=${countsFile}`],
    ...['--timeout', String(stage.timeoutMs), ...files],
  ];
  const ending = await runProcess(args, {
    ...{ env, signal, limitMs: stage.limitMinutes * 60_000 },
    isDone: () => existsSync(countsFile),
  });
  return judge(stage, ending, countsFile, say);
}

function judge(
  stage: Stage,
  ending: Ending,
  countsFile: string,
  say: (line: string) => void,
): Counts {
  const counts = readCounts(countsFile);
  const problem = problemOf(stage, ending, counts);
  if (problem === undefined) return counts;
  say(`${stage.name}: ${problem}`);
  return { ...counts, failed: counts.failed + 1 };
}

/** What went wrong beside the tests themselves. */
function problemOf(stage: Stage, ending: Ending, counts: Counts): string | undefined {
  if (ending === 'too-long') return `stopped after ${stage.limitMinutes} minutes`;
  if (ending === 'did-not-end') return 'its tests are done, but something keeps its process alive';
  if (ending === 'failed' && counts.failed === 0) return 'ended with an error outside of its tests';
  if (counts.passed + counts.failed === 0) return 'no test ran';
  return undefined;
}

function readCounts(file: string): Counts {
  if (!existsSync(file)) return { passed: 0, failed: 0 };
  return JSON.parse(readFileSync(file, 'utf8')) as Counts;
}

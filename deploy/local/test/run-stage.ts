import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { lastLines, type Failure } from './failure.ts';
import { takeTurns, type Turn } from './output-in-turn.ts';
import { runProcess, type Ending } from './run-process.ts';
import { hasEnded, readAlive, readFailures, readProgress } from './stage-files.ts';
import type { Stage } from './stages.ts';

export type Outcome = { passed: number; failures: readonly Failure[] };

export type StageContext = {
  root: string;
  /** For files of this run. */
  temp: string;
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
  write: (text: string) => void;
  /** A process that has not ended so long after its tests is killed, and that is a failure. */
  lingerMs: number;
};

/** A check counts as one test. A mocha stage that ran no test counts as one that failed. */
export async function runStage(stage: Stage, context: StageContext): Promise<Outcome> {
  return stage.kind === 'check' ? runCheck(stage, context) : runMocha(stage, context);
}

async function runCheck(
  stage: Extract<Stage, { kind: 'check' }>,
  { root, env, signal, write }: StageContext,
): Promise<Outcome> {
  const [script = '', ...args] = stage.command;
  let said = '';
  const ending = await runProcess([join(root, 'node_modules', script), ...args], {
    ...{ env, signal, limitMs: stage.limitMinutes * 60_000 },
    write(text) {
      said += text;
      write(text);
    },
  });
  if (ending === 'ok') return { passed: 1, failures: [] };
  const title =
    ending === 'too-long' ? `stopped after ${stage.limitMinutes} minutes` : 'did not succeed';
  write(`${stage.name}: ${title}\n`);
  return { passed: 0, failures: [{ title, details: lastLines(said) }] };
}

type MochaStage = Extract<Stage, { kind: 'mocha' }>;

/** Each group of files runs in a process of its own; each lane takes the next group that waits. */
async function runMocha(stage: MochaStage, context: StageContext): Promise<Outcome> {
  const groups = (await stage.groups()).filter((files) => files.length > 0);
  if (groups.length === 0) {
    const title = 'there is no test, which counts as a failure';
    context.write(`${stage.name}: ${title}\n`);
    return { passed: 0, failures: [{ title, details: '' }] };
  }
  const turns = takeTurns(groups.length, context.write);
  const waiting = groups.map((files, i) => () => runGroup(stage, files, turns[i]!, context));
  const outcomes: Outcome[] = [];
  const lane = async () => {
    for (let run = waiting.shift(); run; run = waiting.shift()) {
      outcomes.push(await run());
      if (context.signal.aborted) return;
    }
  };
  await Promise.all(Array.from({ length: stage.lanes }, lane));
  return sumOf(outcomes);
}

async function runGroup(
  stage: MochaStage,
  files: readonly string[],
  turn: Turn,
  { root, temp, env, signal, lingerMs }: StageContext,
): Promise<Outcome> {
  const dir = mkdtempSync(join(temp, `${stage.name}-`));
  const args = [
    join(root, 'node_modules/mocha/bin/mocha.js'),
    ...['--reporter', join(root, 'deploy/local/test/recording-reporter.ts')],
    // It looks a little before the process is killed.
    ...['--reporter-option', `dir=${dir},lookAfterMs=${lingerMs * 0.7}`],
    ...['--timeout', String(stage.timeoutMs)],
    ...(process.stdout.isTTY ? ['--color'] : []),
    ...files,
  ];
  let said = '';
  const ending = await runProcess(args, {
    ...{ env, signal, limitMs: stage.limitMinutes * 60_000, lingerMs },
    isDone: () => hasEnded(dir),
    write(text) {
      said = (said + text).slice(-10_000);
      turn.write(text);
    },
  });
  const { passed, running } = readProgress(dir);
  const failures = readFailures(dir);
  const counts = { passed, failed: failures.length };
  const problem = problemOf(ending, { stage, counts, ended: hasEnded(dir) });
  if (problem !== undefined) {
    const title = running === '' ? problem : `${problem}, in "${running}"`;
    failures.push({ title, details: ending === 'did-not-end' ? readAlive(dir) : lastLines(said) });
    turn.write(`${stage.name}: ${title}\n`);
  }
  turn.end();
  return { passed, failures };
}

/** What went wrong beside the tests themselves. */
function problemOf(
  ending: Ending,
  about: { stage: MochaStage; counts: { passed: number; failed: number }; ended: boolean },
): string | undefined {
  const { stage, counts, ended } = about;
  if (ending === 'too-long') return `stopped after ${stage.limitMinutes} minutes`;
  if (ending === 'did-not-end') return 'its tests are done, but something keeps its process alive';
  if (!ended) return 'ended before its tests did';
  if (ending === 'failed' && counts.failed === 0) return 'ended with an error outside of its tests';
  if (counts.passed + counts.failed === 0) return 'no test ran';
  return undefined;
}

export function sumOf(outcomes: readonly Outcome[]): Outcome {
  return {
    passed: outcomes.reduce((sum, { passed }) => sum + passed, 0),
    failures: outcomes.flatMap(({ failures }) => failures),
  };
}

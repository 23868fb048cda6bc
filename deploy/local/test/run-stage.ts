import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { readPatience } from '@tributary/testkit/patience';
import { lastLines, type Failure } from './failure.ts';
import type { Chunk } from './chunks.ts';
import { runInLanes } from './lanes.ts';
import { besideOthers } from './measure-patience.ts';
import { takeTurns, type Turn } from './output-in-turn.ts';
import { runProcess, type Ending } from './run-process.ts';
import {
  hasEnded,
  readAlive,
  readFailures,
  readProgress,
  readTimings,
  type Timing,
} from './stage-files.ts';
import type { IsWanted, Stage } from './stages.ts';

export type Outcome = {
  passed: number;
  failures: readonly Failure[];
  timings: readonly Timing[];
};

export type StageContext = {
  root: string;
  /** For files of this run. */
  temp: string;
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
  write: (text: string) => void;
  /** A process that has not ended so long after its tests is killed, and that is a failure. */
  lingerMs: number;
  /** Present: only these specs, where a stage may leave any out. */
  isWanted?: IsWanted;
  /** Called when a process of a stage has ended, with what topics of it begin with. */
  onEnd?: (topicPrefix: string) => Promise<void>;
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
  let output = '';
  const ending = await runProcess([join(root, 'node_modules', script), ...args], {
    ...{ env, signal, limitMs: limitMinutesOf(stage, env) * 60_000 },
    write(text) {
      output += text;
      write(text);
    },
  });
  if (ending === 'ok') return { passed: 1, failures: [], timings: [] };
  const title = ending === 'too-long' ? tooLong(stage, env) : 'did not succeed';
  write(`${stage.name}: ${title}\n`);
  return { passed: 0, failures: [{ title, details: lastLines(output) }], timings: [] };
}

type MochaStage = Extract<Stage, { kind: 'mocha' }>;

/** Each chunk of files runs in a process of its own; each lane takes the next chunk that waits. */
async function runMocha(stage: MochaStage, context: StageContext): Promise<Outcome> {
  const any = () => true;
  const { isWanted = any } = context;
  const filled = async (wanted: IsWanted) =>
    (await stage.chunks(wanted)).filter(({ files }) => files.length > 0);
  const chunks = await filled(isWanted);
  if (chunks.length === 0 && (await filled(any)).length > 0) {
    context.write(`${stage.name}: the change reaches none of its tests\n`);
    return { passed: 0, failures: [], timings: [] };
  }
  if (chunks.length === 0) {
    const title = 'there is no test, which counts as a failure';
    context.write(`${stage.name}: ${title}\n`);
    return { passed: 0, failures: [{ title, details: '' }], timings: [] };
  }
  const turns = takeTurns(chunks.length, context.write);
  const run = ({ files }: Chunk, i: number) => runChunk(stage, files, turns[i]!, context);
  return sumOf(await runInLanes(chunks, stage.lanes, run, context.signal));
}

async function runChunk(
  stage: MochaStage,
  files: readonly string[],
  turn: Turn,
  { root, temp, env, signal, lingerMs, onEnd }: StageContext,
): Promise<Outcome> {
  const dir = mkdtempSync(join(temp, `${stage.name}-`));
  const topicPrefix = `t${randomBytes(4).toString('hex')}`;
  let output = '';
  const ending = await runProcess(mochaArguments({ root, dir, stage, files, lingerMs }), {
    env: { ...env, TRIBUTARY_TEST_TOPICS: topicPrefix },
    ...{ signal, limitMs: limitMinutesOf(stage, env) * 60_000, lingerMs },
    isDone: () => hasEnded(dir),
    write(text) {
      output = (output + text).slice(-10_000);
      turn.write(text);
    },
  });
  const { passed, running } = readProgress(dir);
  const failures = readFailures(dir);
  const counts = { passed, failed: failures.length };
  const problem =
    ending === 'too-long'
      ? tooLong(stage, env)
      : problemOf(ending, { counts, ended: hasEnded(dir) });
  if (problem !== undefined) {
    const title = running === '' ? problem : `${problem}, in "${running}"`;
    failures.push({
      title,
      details: ending === 'did-not-end' ? readAlive(dir) : lastLines(output),
    });
    turn.write(`${stage.name}: ${title}\n`);
  }
  turn.end();
  await onEnd?.(topicPrefix);
  return { passed, failures, timings: readTimings(dir) };
}

function mochaArguments(options: {
  root: string;
  dir: string;
  stage: MochaStage;
  files: readonly string[];
  lingerMs: number;
}): string[] {
  const { root, dir, stage, files, lingerMs } = options;
  return [
    join(root, 'node_modules/mocha/bin/mocha.js'),
    ...['--reporter', join(root, 'deploy/local/test/recording-reporter.ts')],
    // It looks a little before the process is killed.
    ...['--reporter-option', `dir=${dir},lookAfterMs=${lingerMs * 0.7}`],
    ...['--timeout', String(stage.timeoutMs)],
    ...(process.stdout.isTTY ? ['--color'] : []),
    ...files,
  ];
}

/** They are for the factor by which deadlines are longer in any run, and grow with a larger one. */
export function limitMinutesOf({ limitMinutes }: Stage, env: NodeJS.ProcessEnv): number {
  const patience = readPatience(env['TRIBUTARY_TEST_PATIENCE']);
  return limitMinutes * Math.max(1, patience / besideOthers);
}

function tooLong(stage: Stage, env: NodeJS.ProcessEnv): string {
  return `stopped after ${Number(limitMinutesOf(stage, env).toFixed(1))} minutes`;
}

/** What went wrong beside the tests themselves. */
function problemOf(
  ending: Ending,
  { counts, ended }: { counts: { passed: number; failed: number }; ended: boolean },
): string | undefined {
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
    timings: outcomes.flatMap(({ timings }) => timings),
  };
}

import type { Failure } from './failure.ts';
import { takeTurns, type Turn } from './output-in-turn.ts';
import { runStage, type Outcome, type StageContext } from './run-stage.ts';
import { rounds, type Stage } from './stages.ts';
import { withServers } from './with-servers.ts';

/** All chosen stages, whatever the ones before found; each one's output is in one piece. */
export async function runRounds(
  chosen: readonly Stage[],
  context: StageContext,
  seed: number,
): Promise<Outcome[]> {
  const turns = takeTurns(chosen.length, context.write);
  const outcomes: Outcome[] = [];
  for (const round of rounds) {
    await Promise.all(round.map(runRow));
  }
  return outcomes;

  async function runRow(row: readonly Stage[]): Promise<void> {
    for (const stage of row.filter((one) => chosen.includes(one))) {
      const turn = turns[chosen.indexOf(stage)]!;
      if (!context.signal.aborted) outcomes.push(await timed(stage, turn, { context, seed }));
      turn.end();
    }
  }
}

async function timed(
  stage: Stage,
  turn: Turn,
  { context, seed }: { context: StageContext; seed: number },
): Promise<Outcome> {
  const say = (line: string) => turn.write(`${line}\n`);
  const startedAt = Date.now();
  say(`\n── ${stage.name}${stage.kind === 'mocha' ? `, seed ${seed}` : ''} ──`);
  const own: StageContext = { ...context, write: (text) => turn.write(text) };
  const outcome = await run(stage, own).catch((error: unknown) => {
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
    say(`${stage.name}: ${stack}`);
    return failed('could not run', stack);
  });
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  const counts = `${outcome.passed} passed, ${outcome.failures.length} failed`;
  say(`── ${stage.name}: ${counts}, ${seconds} s ──`);
  return { ...outcome, failures: outcome.failures.map((failure) => named(stage, failure)) };
}

function run(stage: Stage, context: StageContext): Promise<Outcome> {
  const hasServers = stage.kind === 'mocha' && stage.sharedServers;
  return hasServers
    ? withServers(context, (served) => runStage(stage, served))
    : runStage(stage, context);
}

function named(stage: Stage, { title, details }: Failure): Failure {
  return { title: `${stage.name}: ${title}`, details };
}

export function failed(title: string, details: string): Outcome {
  return { passed: 0, failures: [{ title, details }], timings: [] };
}

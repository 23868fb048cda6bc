import { setTimeout as delay } from 'node:timers/promises';
import { findGeneration } from '@tributary/generations/registry';
import { behindOf, readLag, type StageLag } from '@tributary/generations/stage-lag';
import { type JobContext, JobRefused } from '../job-kind.ts';
import { allOf, databasesOf, readStages } from './stages.ts';
import type { SwapDeps } from './swap.ts';

/**
 * Waits until a generation trails the log by so little that a moment's hold brings it to the end,
 * however long that takes: it follows the log by itself, and the job only looks.
 *
 * `modelGraceMs`: how long read models are waited for after the folds; they answer people, and
 * where money waits they must not hold up the rest for ever. Says which ones are close.
 */
export async function untilClose(
  deps: SwapDeps,
  generation: number,
  context: JobContext,
  { modelGraceMs = Infinity }: { modelGraceMs?: number } = {},
): Promise<{ readModels: string[] }> {
  const speed = createSpeed();
  let lastShown = '';
  let foldsCloseMs: number | undefined;
  for (;;) {
    context.signal.throwIfAborted();
    const status = (await findGeneration(deps.pool, generation))?.status ?? 'not there any more';
    if (!isFollowed.has(status)) throw new JobRefused(`generation ${generation} is ${status}`);
    const stages = await readStages(deps.pool, generation);
    const at = { databases: databasesOf(deps), kafka: deps.kafka, prefix: deps.topics.prefix };
    const lags = await readLag(at, allOf(stages));
    const [attribution] = lags as [StageLag, ...StageLag[]];
    const far = lags.filter((lag) => lag.read === undefined || behindOf(lag) > closeRecords);
    const farNames = far.map(({ stage }) => stage);
    const models = stages.readModels.map(({ name }) => name);
    if (far.length === 0) return { readModels: models };
    context.progress({
      phase: `generation ${generation} reads the log`,
      done: sum(lags.map(({ read = 0 }) => read)),
      total: sum(lags.map(({ total }) => total)),
      unit: 'records',
      ...speed(attribution.read ?? 0, sum(far.map(behindOf))),
    });
    const modelOnly = farNames.every((name) => models.includes(name));
    foldsCloseMs = modelOnly ? (foldsCloseMs ?? performance.now()) : undefined;
    if (foldsCloseMs !== undefined && performance.now() - foldsCloseMs > modelGraceMs) {
      const names = farNames.join(', ');
      await context.note(`not waited for any longer: ${names} of generation ${generation}`);
      return { readModels: models.filter((name) => !farNames.includes(name)) };
    }
    const line = whyNotRead(far);
    if (line !== undefined && line !== lastShown) await context.note(line);
    lastShown = line ?? lastShown;
    await delay(lookEveryMs, undefined, { signal: context.signal });
  }
}

function whyNotRead(far: readonly StageLag[]): string | undefined {
  const unread = far.filter(({ read }) => read === undefined);
  const unknown = unread.flatMap((lag) => lag.unknown ?? []);
  const waiting = unread.filter((lag) => lag.unknown === undefined).map(({ stage }) => stage);
  if (waiting.length > 0) unknown.push(`no process runs this yet: ${waiting.join(', ')}`);
  return unknown.length === 0 ? undefined : unknown.join('; ');
}

const lookEveryMs = 1_000;
const isFollowed = new Set(['building', 'kept', 'live']);

/** Read within a second or two by any stage. */
const closeRecords = 500;

/** Over the last looks. */
function createSpeed() {
  const looks: { atMs: number; read: number }[] = [];
  return (read: number, left: number) => {
    looks.push({ atMs: performance.now(), read });
    if (looks.length > 10) looks.shift();
    const [oldest, newest] = [looks[0]!, looks.at(-1)!];
    const seconds = (newest.atMs - oldest.atMs) / 1_000;
    const perSecond = seconds > 0 ? (newest.read - oldest.read) / seconds : 0;
    if (perSecond <= 0) return {};
    return {
      eventsPerSecond: Math.round(perSecond),
      remainingSeconds: Math.ceil(left / perSecond),
    };
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, n) => total + n, 0);
}

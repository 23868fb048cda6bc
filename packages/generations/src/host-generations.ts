import { RightsLacking } from '@tributary/event-log/missing-rights';
import type { Checks, Health } from '@tributary/runtime/component';
import type { OnStop } from '@tributary/runtime/lifecycle';
import type { Logger } from '@tributary/runtime/logger';
import { isTransientPostgresError } from '@tributary/runtime/postgres';
import { createRepeater } from '@tributary/runtime/repeater';
import { untilStopped } from '@tributary/runtime/until-allowed';
import type pg from 'pg';
import { type Generation, isRun } from './generation.ts';
import { createHostedRun, type HostedRun, type StartRun } from './hosted-run.ts';
import { listGenerations, readLiveGeneration } from './registry.ts';
import { stageOf, type StagePlan } from './stage.ts';
import { isRegistered, registerStage } from './stage-registry.ts';

/**
 * Runs every generation that the registry lists, in this one process, and follows it: looked at
 * each second, what is new is started, and what is lost or no longer there is stopped. One that
 * cannot be started, or whose database turned out to be older than what it wrote, is tried
 * again with the next look and is nobody else's trouble. Before it starts any, it registers what it
 * runs of each, once it can tell in which database that is.
 *
 * Which one is live is asked where it matters: by the release's fence in its transaction, and here
 * only to choose whom a request is for that names none.
 */
export type HostedGenerations<R extends GenerationRun> = {
  /** What runs this generation, while it is run here. */
  get(generation: number): R | undefined;
  /** What runs the generation that was live a second ago, or the only one. */
  live(): R | undefined;
  /** Asks the registry which one is live; of a process that runs one only, that one. */
  liveNumber(): Promise<number>;
  /** By number. */
  running(): ReadonlyMap<number, R>;
  /** For `/readyz`: those of the live generation by their own names, of the others as `g2/…`. */
  checks(): Checks;
};

/** What a service runs for each generation. */
export type GenerationRun = {
  /** Its parts by name. */
  checks?: Checks;
  /**
   * False once its schema is gone, or older than this process has seen it: everything is stopped
   * and started anew, which finds out what to do. Never throws.
   */
  isIntact?: () => Promise<boolean>;
};

export async function hostGenerations<R extends GenerationRun>(options: {
  /** Looks names up in the schema of the registry. */
  pool: pg.Pool;
  /** Makes the registry anew when the database was dropped under this process. */
  remake?: () => Promise<void>;
  /** What this service runs of each generation. */
  stage: StagePlan;
  /** Finds the database of the stage, for those that may have one of their own. */
  findDatabase?: () => Promise<string | undefined>;
  /** Whether the process starts, and tries again, while the database of the stage is away. */
  startsWithout?: boolean;
  /** The number of the only one, in a process that runs no other. */
  only: number | undefined;
  /** Which are run at all; default: those that are not lost. */
  runs?: (generation: Generation) => boolean;
  logger: Logger;
  onStop: OnStop;
  start: StartRun<R>;
  pollMs?: number;
}): Promise<HostedGenerations<R>> {
  const { pool, remake, only, logger, onStop, start, pollMs = 1_000 } = options;
  const { runs: isWanted = isRun, startsWithout = false } = options;
  const findStage = createFinder(options);
  const runs = new Map<number, HostedRun<R>>();
  let listed: readonly Generation[] = [];
  let live = only ?? 1;
  /** The registry's, also where another one is the only one here. */
  let registeredLive: number | undefined;
  let unreadable: string | undefined;
  let looking: Promise<void> | undefined;
  const stopping = new AbortController();

  /** One at a time: a look that is asked for during another one follows it. */
  function look(): Promise<void> {
    const next = (looking ?? Promise.resolve()).then(() => untilStopped(stopping.signal, lookOnce));
    looking = next.catch(() => undefined);
    return next;
  }

  async function lookOnce(): Promise<void> {
    const stage = await findStage();
    const { registered, ...found } = await readRegistry(stage);
    ({ listed, live, registeredLive } = found);
    // With each look: somebody may have made the registry anew, a backup may have been restored, or
    // a process that was configured otherwise was the last to register itself.
    if (!registered) await registerStage(pool, stage);
    unreadable = undefined;
    const wanted = new Set(listed.filter(isWanted).map(({ number }) => number));
    const gone = [...runs].filter(([number]) => !wanted.has(number));
    await Promise.all(gone.map(([number, run]) => run.stop().then(() => runs.delete(number))));
    for (const number of wanted) {
      if (runs.has(number)) continue;
      const isLive = () => number === registeredLive;
      runs.set(number, createHostedRun({ stage: stageOf(stage, number), logger, start, isLive }));
    }
    // In the background: one that takes long to start keeps no other waiting.
    for (const run of runs.values()) void run.attend();
  }

  const read = async (stage: StagePlan) => ({
    generations: await listGenerations(pool),
    live: await readLiveGeneration(pool),
    registered: await isRegistered(pool, stage),
  });

  async function readRegistry(stage: StagePlan): Promise<{
    listed: readonly Generation[];
    live: number;
    registeredLive: number;
    registered: boolean;
  }> {
    const { generations, ...settings } = await read(stage).catch(async (error: unknown) => {
      if (!remake || !isRegistryGone(error)) throw error;
      // What the database held is not what it will hold: every start looks at it anew.
      logger.error('alert: the registry of generations is gone; it is made anew', { error });
      await Promise.all([...runs.values()].map((run) => run.stop()));
      runs.clear();
      await remake();
      return read(stage);
    });
    const found = { ...settings, registeredLive: settings.live };
    if (only === undefined) return { ...found, listed: generations };
    const listedHere = generations.filter(({ number }) => number === only);
    return { ...found, listed: listedHere, live: only };
  }

  const poll = createRepeater({
    everyMs: pollMs,
    work: () =>
      look().catch((error: unknown) => {
        unreadable = error instanceof Error ? error.message : String(error);
        logger.warn('cannot see which generations to run; what runs goes on', { error });
      }),
  });
  onStop('generations', async () => {
    stopping.abort();
    await poll.stop();
    await looking;
    await Promise.all([...runs.values()].map((run) => run.stop()));
  });

  try {
    await look();
    await runs.get(live)?.attend();
    const first = runs.get(live)?.failure();
    // Somebody can give the right; what lacks stands in the checks meanwhile.
    const mayComeRight = first instanceof RightsLacking;
    if (first !== undefined && !mayComeRight) throw first as Error;
  } catch (error) {
    // A start that can never succeed ends the process, as it does for what is not a generation.
    if (!startsWithout || !isTransientPostgresError(error)) throw error;
    unreadable = (error as Error).message;
    logger.warn('the database of the generations does not answer; trying again', { error });
  }
  if (!stopping.signal.aborted) poll.start();

  return {
    get: (generation) => runs.get(generation)?.running(),
    live: () => runs.get(live)?.running(),
    liveNumber: async () => only ?? (await readLiveGeneration(pool)),
    running: () =>
      new Map(
        [...runs].flatMap(([number, run]) => {
          const running = run.running();
          return running ? [[number, running]] : [];
        }),
      ),
    checks: () =>
      Object.fromEntries([
        ['generations', () => evaluate()],
        ...[...runs].flatMap(([number, run]) => Object.entries(checksOf(number, run))),
      ]),
  };

  function evaluate(): Health {
    if (unreadable !== undefined) return { ok: false, detail: unreadable };
    const stopped = listed.flatMap((generation) => {
      const why = whyNotRun(generation, runs.get(generation.number));
      return why === undefined ? [] : [`generation ${generation.number} ${why}`];
    });
    const ok = runs.get(live)?.running() !== undefined;
    if (!ok && listed.length === 0) stopped.push(`generation ${live} is not registered`);
    return stopped.length === 0 ? { ok } : { ok, detail: stopped.join('; ') };
  }

  function checksOf(number: number, run: HostedRun<R>): Checks {
    const checks = run.running()?.checks ?? {};
    if (number === live) return checks;
    const entries = Object.entries(checks);
    return Object.fromEntries(
      entries.map(([name, check]) => [`g${number}/${name}`, () => settings(check)]),
    );
  }
}

/** Asked until it answers, and not again. */
function createFinder(options: {
  stage: StagePlan;
  findDatabase?: () => Promise<string | undefined>;
}): () => Promise<StagePlan> {
  const { findDatabase } = options;
  let stage = findDatabase ? undefined : options.stage;
  return async () => {
    if (stage !== undefined) return stage;
    const database = await findDatabase?.();
    stage = { ...options.stage, ...(database !== undefined && { database }) };
    return stage;
  };
}

/** A generation that is built or kept never makes the process unfit for its work. */
async function settings(check: Checks[string]): Promise<Health> {
  const { ok, detail } = await check();
  if (ok) return { ok, ...(detail !== undefined && { detail }) };
  return { ok: true, detail: `not ready: ${detail ?? ''}` };
}

function whyNotRun<R>(generation: Generation, run: HostedRun<R> | undefined): string | undefined {
  if (run?.running() !== undefined) return undefined;
  if (generation.status === 'lost') return `is lost: ${generation.note ?? ''}`;
  const failure = run?.failure();
  if (failure !== undefined) return `does not start: ${(failure as Error).message}`;
  return 'is being started';
}

/** Undefined table or schema. A database that does not exist at all cannot be made by a service. */
function isRegistryGone(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === '42P01' || code === '3F000';
}

import { topicName, type TopicWiring } from '@tributary/contracts/topics';
import type { KafkaConnection } from '@tributary/event-log/kafka';
import { readWatermarks } from '@tributary/event-log/watermarks';
import {
  findGeneration,
  flipLive,
  holdReleases,
  readLiveGeneration,
} from '@tributary/generations/registry';
import type { Stage } from '@tributary/generations/stage';
import { UnknownDatabase } from '@tributary/generations/stage-databases';
import {
  holdStage,
  type Offsets,
  readOffsets,
  readUnfinished,
} from '@tributary/generations/stage-state';
import {
  allowIdle,
  inTransaction,
  isTransientPostgresError,
  type Tx,
} from '@tributary/runtime/postgres';
import type pg from 'pg';
import { holdSwap } from '../../db/hold-swap.ts';
import { allOf, databasesOf, readStages, type Stages } from './stages.ts';
import { createWait, NotNow, type Wait } from './wait.ts';

/**
 * One attempt to make generation `to` live instead of `from`. Both read the same facts side by
 * side, before and after, so no decision can be lost: each fact is decided once in each of them.
 * What has to be shown is that the change of hands is one moment, that whoever reads sees nothing
 * older after it, and that nothing is paid twice or on the strength of less than was known.
 *
 * The attempt is one transaction on one connection, in this order:
 *
 *   1  hold `from`'s attribution      no batch of it commits; its positions are the vector V
 *   2  wait: `to` has read V          it goes on all the time
 *   3  hold `to`'s attribution        at W ≥ V
 *   4  wait: its decisions are out    no work left over, outbox empty; the ends of its topic are final
 *   5  wait: `to`'s rewards have read those ends, folded all, and their outbox is empty
 *   6  hold releases                  and operator actions: those under way end first, later ones wait
 *                                     before their first look at anything, but for releases of
 *                                     generations that are not live, which see that and are none
 *   7  wait: what was issued is on the log, and `to`'s rewards have read and folded that too
 *   8  wait: `to`'s read models, of portal and widget, have read all of it
 *   9  flip, and commit               every hold ends with it
 *
 * Why this is enough:
 *
 * - One moment. `live_generation` has one row and every release reads it first, for share, in its
 *   own transaction. Those of `from` that saw themselves live have committed before 6 ends; those
 *   that come later read the row after 9 and find the other generation. There is no moment with
 *   two.
 * - Nothing doubled. What a reward was issued is read from the table of issuances, which all
 *   generations share, under the recipient's lock and after the fence; so the first release of `to`
 *   counts every issuance of `from`, and ids derived of reward and number meet the primary key
 *   should that ever fail. Deliveries follow the issuance's own id, which generations do not touch.
 * - Nothing paid on less knowledge. `to` has decided every fact that `from` had decided (2–4),
 *   folded it (5), and counted all that was issued or said by an operator (7): what a recipient
 *   owes is netted by its first release as it would have been by `from`'s next.
 * - Nothing older is read. `from` has not moved since V, so what it ever told is in `to`.
 *
 * Whatever dies, nothing or all of it happened: locks and flip belong to one session. If this
 * process is killed, the server rolls back and `from` goes on, with what it had; killed during the
 * commit, the registry tells which. If it is stopped for longer than {@link idleLimitMs}, the
 * server ends the session, so a sleeper cannot flip on an old vector; no time limit of another
 * process is relied on. A process of rewards that dies in a release has its transaction rolled
 * back, and 6 is granted; one that is stopped in it keeps 6 waiting until {@link lockLimitMs}, and
 * the attempt ends. If the brokers do not answer or `to` does not keep up, the attempt ends at its
 * deadline. An attempt that ends has changed nothing, and `from`'s batches and releases go on after
 * a wait.
 *
 * From a generation that is lost there is no V: what it decided is on a topic that its tables have
 * forgotten. `to` then has to have read the facts up to their ends as they were at step 1; all that
 * the lost one ever knew lies before them. Step 6 still holds its releases.
 *
 * No deadlock: batches take locks of their own stage only, releases take `live_generation` first
 * and rows of their own stage after it, and nobody but this waits for a stage while holding
 * another. Nor does a release of `to` wait for 9 between two batches of it, or in one (decision
 * 61): 7 waits for these.
 */
export type SwapOutcome =
  | {
      outcome: 'swapped';
      /** How long attribution of the old generation stood still. */
      frozenMs: number;
      /** How long releases waited. */
      releasesHeldMs: number;
      /** How far the new generation was, in the facts, at the flip. */
      positions: Record<string, string>;
    }
  | { outcome: 'already-live' }
  /** Nothing was changed. */
  | { outcome: 'not-now'; why: string }
  /** Nor would be by trying again. */
  | { outcome: 'refused'; why: string };

export type SwapDeps = {
  /** Finds names in the schema of generations. */
  pool: pg.Pool;
  kafka: KafkaConnection;
  topics: TopicWiring;
  /** Read models that every deployment has, by the names of their stages; default: the portal's. */
  everywhere?: readonly string[];
  /** Databases of read models that are not in that of `pool`. */
  readModelPools?: readonly pg.Pool[];
};

export type SwapRequest = {
  from: number;
  to: number;
  /** The note of the event that records it. */
  note: string;
  /** Those that are waited for; what is shown may follow later, money may not. */
  readModels: readonly string[];
  signal: AbortSignal;
};

/** What has just been reached; for tests that stop between two statements. */
export type SwapStep =
  | 'begun'
  | 'from-held'
  | 'vector-read'
  | 'to-held'
  | 'decided'
  | 'rewarded'
  | 'releases-held'
  | 'issuances-read'
  | 'model-read'
  | 'flipped';

export const attemptLimitMs = 15_000;
const idleLimitMs = 5_000;
const lockLimitMs = 4_000;

export async function trySwap(
  deps: SwapDeps,
  request: SwapRequest,
  reached: (step: SwapStep, tx: Tx) => Promise<void> = () => Promise.resolve(),
): Promise<SwapOutcome> {
  const { pool } = deps;
  try {
    return await inTransaction(pool, (tx) => swap(deps, request, tx, reached));
  } catch (error) {
    request.signal.throwIfAborted();
    // A connection that broke during the commit leaves it open what happened.
    const live = await readLiveGeneration(pool).catch(() => undefined);
    if (live === request.to) return { outcome: 'already-live' };
    if (error instanceof NotNow || error instanceof UnknownDatabase) {
      return { outcome: 'not-now', why: error.message };
    }
    if (!isTransientPostgresError(error) && !isKafkaError(error)) throw error;
    return { outcome: 'not-now', why: (error as Error).message };
  }
}

async function swap(
  deps: SwapDeps,
  request: SwapRequest,
  tx: Tx,
  reached: (step: SwapStep, tx: Tx) => Promise<void>,
): Promise<SwapOutcome> {
  const { from, to, note } = request;
  const wait = createWait({ limitMs: attemptLimitMs, signal: request.signal });
  await limit(tx);
  await reached('begun', tx);

  if ((await readLiveGeneration(tx)) === to) return { outcome: 'already-live' };
  const status = (await findGeneration(tx, to))?.status;
  if (status !== 'building' && status !== 'kept') {
    return { outcome: 'refused', why: `generation ${to} is ${status ?? 'not there'}` };
  }
  const isLost = (await findGeneration(tx, from))?.status === 'lost';
  const [old, next] = [await readStages(tx, from), await readStages(tx, to)];
  const stages = createWaits(deps, { tx, old, next, generation: to, wait });

  const heldAt = performance.now();
  const tolerated = isLost ? untold : await stages.undecidedOfOld();
  if (!isLost) await stages.holdOld();
  await reached('from-held', tx);
  const facts = isLost ? await stages.endsOf(factTopics) : await stages.positionsOfOld();
  await reached('vector-read', tx);
  await stages.factsRead(facts);
  await stages.holdNew();
  await reached('to-held', tx);
  await stages.decided(tolerated.decisions);
  await reached('decided', tx);
  const decisions = await stages.endsOf(['attributions']);
  await stages.rewarded(decisions, tolerated.recipients);
  await reached('rewarded', tx);

  const releasesHeldAt = performance.now();
  await holdReleases(tx);
  await reached('releases-held', tx);
  await stages.sharedSent();
  const issued = await stages.endsOf(['issuances']);
  await stages.rewarded(new Map([...decisions, ...issued]), tolerated.recipients);
  await reached('issuances-read', tx);
  await stages.modelsRead(request.readModels, new Map([...facts, ...issued]));
  await reached('model-read', tx);

  const positions = await stages.positionsOfNew();
  if (!(await flipLive(tx, { from, to, note }))) {
    throw new NotNow(`generation ${from} is not live any more, or ${to} is not fit to be`);
  }
  await reached('flipped', tx);
  const now = performance.now();
  return {
    outcome: 'swapped',
    frozenMs: Math.round(now - heldAt),
    releasesHeldMs: Math.round(now - releasesHeldAt),
    positions,
  };
}

/** See the head of this file: a sleeper must not flip, and nobody is waited for without end. */
async function limit(tx: Tx): Promise<void> {
  await allowIdle(tx, idleLimitMs);
  if (!(await holdSwap(tx, lockLimitMs))) throw new NotNow('another swap is under way');
}

type Ends = Map<string, bigint>;
type FactTopic = 'events' | 'codes' | 'catalog';
const factTopics: readonly FactTopic[] = ['events', 'codes', 'catalog'];
/**
 * Nothing can be asked about a lost generation, and waiting for a fold that throws would be for
 * ever.
 */
const untold = { decisions: Infinity, recipients: Infinity };

/** What is asked of the stages, each as a wait or as a look. */
function createWaits(
  deps: SwapDeps,
  asked: { tx: Tx; old: Stages; next: Stages; generation: number; wait: Wait },
) {
  const { kafka, topics } = deps;
  const { tx, old, next, generation, wait } = asked;
  const wiring = { ...topics, generation };

  async function endsOf(
    which: readonly (FactTopic | 'attributions' | 'rewards' | 'issuances')[],
  ): Promise<Ends> {
    const marks = await readWatermarks(
      kafka,
      which.map((topic) => topicName(topic, wiring)),
    );
    // Nothing can be read below `low`, so an empty partition asks for nothing.
    return new Map([...marks].flatMap(([p, { low, high }]) => (high > low ? [[p, high]] : [])));
  }

  async function isFinished(schema: string, tolerated: number): Promise<string | undefined> {
    const unfinished = await readUnfinished(tx, schema);
    if (!unfinished) return `no process of this release has run on the schema ${schema} yet`;
    const { open, unsent, undecided } = unfinished;
    if (undecided > tolerated) return `${undecided} folds that fail (${tolerated} before)`;
    return open + unsent === 0 ? undefined : `${open} to fold again, ${unsent} to send`;
  }

  /** Where nobody can say, none is tolerated. */
  async function undecidedOf({ schema }: Stage): Promise<number> {
    return (await readUnfinished(tx, schema))?.undecided ?? 0;
  }

  /** A stage reads some topics, and of those alone it has positions. */
  function ofTopics({ topics: read }: Stage, ends: Offsets): Ends {
    const names = new Set(read.map((topic) => topicName(topic, wiring)));
    return new Map([...ends].filter(([p]) => names.has(p.slice(0, p.lastIndexOf('/')))));
  }

  return {
    endsOf,
    holdOld: () => holdStage(tx, old.attribution),
    holdNew: () => holdStage(tx, next.attribution),

    async undecidedOfOld(): Promise<{ decisions: number; recipients: number }> {
      const decisions = await undecidedOf(old.attribution);
      return { decisions, recipients: await undecidedOf(old.rewards) };
    },

    async positionsOfOld(): Promise<Offsets> {
      return (await readOffsets(tx, old.attribution)) ?? new Map();
    },

    async positionsOfNew(): Promise<Record<string, string>> {
      const offsets = [...((await readOffsets(tx, next.attribution)) ?? [])];
      return Object.fromEntries(offsets.map(([name, offset]) => [name, String(offset)]));
    },

    factsRead: (facts: Offsets) =>
      wait(`attribution of generation ${generation} to read the facts`, async () =>
        behind(facts, await readOffsets(tx, next.attribution)),
      ),

    decided: (tolerated: number) =>
      wait(`attribution of generation ${generation} to decide them`, () =>
        isFinished(next.attribution.schema, tolerated),
      ),

    rewarded: (ends: Ends, tolerated: number) =>
      wait(`rewards of generation ${generation} to fold the decisions`, async () => {
        const left = behind(ends, await readOffsets(tx, next.rewards));
        if (left !== undefined) return left;
        return isFinished(next.rewards.schema, tolerated);
      }),

    async sharedSent(): Promise<void> {
      for (const { sharedSchema } of allOf(next)) {
        if (sharedSchema === undefined) continue;
        await wait('what was issued to be on the log', () => isFinished(sharedSchema, 0));
      }
    },

    async modelsRead(names: readonly string[], ends: Ends): Promise<void> {
      if (names.length === 0) return;
      const all = new Map([...ends, ...(await endsOf(['attributions', 'rewards']))]);
      for (const stage of next.readModels.filter(({ name }) => names.includes(name))) {
        // Where it has a database of its own, that is looked at; it is not held anyway.
        const db = stage.database === undefined ? tx : await databasesOf(deps).of(stage);
        await wait(`${stage.name} of generation ${generation} to read all of it`, async () =>
          behind(ofTopics(stage, all), await readOffsets(db, stage)),
        );
      }
    },
  };
}

/** What is missing, in words; undefined: nothing. */
function behind(ends: Offsets, at: Offsets | undefined): string | undefined {
  if (!at) return 'its tables are not there yet';
  let records = 0n;
  for (const [partition, end] of ends) {
    const next = at.get(partition) ?? 0n;
    if (end > next) records += end - next;
  }
  return records === 0n ? undefined : `${records} records to read`;
}

function isKafkaError(error: unknown): boolean {
  return error instanceof Error && error.name.startsWith('Kafka');
}

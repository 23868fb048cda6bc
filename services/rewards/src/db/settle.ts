import { setTimeout as delay } from 'node:timers/promises';
import { readPositions } from '@tributary/event-log/position';
import { allowIdle, inTransaction, type Tx } from '@tributary/runtime/postgres';
import type pg from 'pg';
import { countUnsentIssuances, holdReleases, readUnsettled, type Unsettled } from './unsettled.ts';

/** Next offset of each partition, `referral.attributions/0` → `77`. */
export type Offsets = Readonly<Record<string, string>>;

export type Settled<T> = { outcome: 'settled'; value: T } | { outcome: 'not-now'; detail: string };

/**
 * The moment at which rewards has folded exactly the decisions up to given ends, and all issuances
 * and operator actions that there are at all, in any generation:
 *
 *   1. wait until the decisions are read and nothing of them is left to do. Attribution is frozen
 *      at these ends, so nothing more comes; rewards itself stands still for nobody. When it is far
 *      behind nothing is waited for: attribution would stand still for nothing, again and again.
 *   2. keep everybody from issuing (holdReleases), wait until the facts under way are on the log
 *      and read back from it. Only now do the positions on issuances say what was counted: a
 *      release counts its own facts at once, and their records come later.
 *   3. do `take` then, which opens a snapshot; let go.
 */
export type Settle = <T>(
  reached: Offsets,
  take: () => Promise<T>,
  signal: AbortSignal,
) => Promise<Settled<T>>;

export function createSettle(options: {
  pool: pg.Pool;
  /** The name of the projection. */
  name: string;
  /** Reads how far the topic of issuances goes. */
  readIssuanceEnds: () => Promise<Map<string, { high: bigint }>>;
  reachMs?: number;
  holdMs?: number;
}): Settle {
  const { pool, name, readIssuanceEnds, reachMs = 8_000, holdMs = 4_000 } = options;

  async function behind(tx: Pick<Tx, 'query'>, reached: Offsets): Promise<bigint> {
    const positions = await readPositions(tx, name);
    return Object.entries(reached)
      .map(([partition, end]) => BigInt(end) - (positions.get(partition) ?? 0n))
      .reduce((sum, missing) => (missing > 0n ? sum + missing : sum), 0n);
  }

  async function missingOfFold(reached: Offsets): Promise<string | undefined> {
    const unread = await behind(pool, reached);
    if (unread > 0n) return `${unread} decisions are not read yet`;
    return wordsOf(await readUnsettled(pool));
  }

  async function missingOfFacts(tx: Tx): Promise<string | undefined> {
    const unsent = await countUnsentIssuances(tx);
    if (unsent > 0) return `${unsent} issuances are not on the log yet`;
    const ends = [...(await readIssuanceEnds())].map(([partition, { high }]) => [partition, high]);
    const unread = await behind(tx, Object.fromEntries(ends) as Offsets);
    return unread > 0n ? `${unread} issuances are not read back yet` : undefined;
  }

  return async function settle(reached, take, signal) {
    const unread = await behind(pool, reached);
    if (unread > farBehind) return notNow(`${unread} decisions are not read yet`);
    const fold = { deadline: performance.now() + reachMs, signal };
    const missing = await untilNothing(() => missingOfFold(reached), fold);
    if (missing !== undefined) return notNow(missing);
    return inTransaction(pool, async (tx) => {
      await allowIdle(tx, maxIdleMs);
      await tx.query(`set local lock_timeout = ${holdMs / 2}`);
      const facts = { deadline: performance.now() + holdMs, signal };
      await holdReleases(tx);
      const unknown = await untilNothing(() => missingOfFacts(tx), facts);
      if (unknown !== undefined) return notNow(unknown);
      return { outcome: 'settled', value: await take() };
    });
  };
}

/**
 * A look at the brokers, or `take`. Releases of others wait as long when this process stops here.
 */
const maxIdleMs = 10_000;
/** More than is folded in some seconds. */
const farBehind = 5_000n;

/** The first thing that is missing still at the deadline. */
async function untilNothing(
  missing: () => Promise<string | undefined>,
  { deadline, signal }: { deadline: number; signal: AbortSignal },
): Promise<string | undefined> {
  for (;;) {
    const what = await missing();
    if (what === undefined || performance.now() > deadline) return what;
    await delay(20, undefined, { signal });
  }
}

function wordsOf({ waiting, retries, unsent }: Unsettled): string | undefined {
  if (waiting > 0) return `${waiting} decisions wait for their campaign revision`;
  if (retries > 0) return `${retries} recipients whose fold failed are to be folded again`;
  return unsent > 0 ? `${unsent} records of rewards are not on the log yet` : undefined;
}

function notNow(missing: string): { outcome: 'not-now'; detail: string } {
  return { outcome: 'not-now', detail: `Rewards is busy: ${missing} (5000: or more).` };
}

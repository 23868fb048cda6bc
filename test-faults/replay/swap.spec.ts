import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { readLiveGeneration } from '@tributary/generations/registry';
import { allowIdle, inTransaction, type Tx } from '@tributary/runtime/postgres';
import { eventually } from '@tributary/testkit/eventually';
import { isLong } from '@tributary/testkit/long-run';
import { patience } from '@tributary/testkit/patience';
import { expect } from 'chai';
import type pg from 'pg';
import {
  type SwapOutcome,
  type SwapStep,
  trySwap,
} from '../../services/replay/src/commands/generations/swap.ts';
import { swapUntilDone } from '../../services/replay/src/commands/generations/swap-until-done.ts';
import { type Generations, startGenerations, testContext } from './generations.ts';

/**
 * Two generations side by side, facts flowing, and a swap that is broken off between any two of its
 * steps, held up by whoever it waits for, and repeated back and forth while processes are killed.
 */
const perSecond = 40;
/** Each gives up after seconds, in which a slow machine does not come as far. */
const mostAttempts = Math.ceil(10 * patience);
const firstOfRelease = 'select generation from live_generation for share';
const steps: readonly SwapStep[] = isLong
  ? [
      'begun',
      'from-held',
      'vector-read',
      'to-held',
      'decided',
      'rewarded',
      'releases-held',
      'issuances-read',
      'model-read',
      'flipped',
    ]
  : ['releases-held', 'flipped'];

describe('a swap of generations while events flow', function () {
  this.timeout(300_000);
  let world: Generations;
  let endFlow: () => Promise<void>;
  /** Transactions of the test that runs. */
  let open: pg.PoolClient[] = [];
  let attempts: Promise<SwapOutcome>[] = [];
  before(async () => {
    world = await startGenerations({ rewards: 2 });
    endFlow = world.flow(perSecond);
    await world.build(2);
    await eventually(() => isFollowed(2), { deadlineMs: 60_000 });
  });
  beforeEach(async () => {
    if ((await readLiveGeneration(world.deps.pool)) === 1) return;
    expect((await swapped(2, 1)).outcome).to.equal('swapped');
  });
  afterEach(async () => {
    for (const tx of open) tx.release(true);
    await Promise.allSettled(attempts);
    open = [];
    attempts = [];
  });
  after(async () => {
    await endFlow?.();
    await world?.stop();
  });

  for (const step of steps) {
    it(`changes nothing when its connection ends at ${step}, and nobody waits`, async () => {
      const outcome = await attemptUpTo(step, 1, 2, endSession);
      expect(outcome.outcome, JSON.stringify(outcome)).to.equal('not-now');
      expect(await readLiveGeneration(world.deps.pool)).to.equal(1);
      await eventually(() => movesOn('attribution_g1'), { deadlineMs: 10_000 });
      await eventually(() => movesOn('attribution_g2'), { deadlineMs: 10_000 });
    });
  }

  it('knows that it is done when the answer to its commit was lost', async () => {
    const outcome = await attemptUpTo('flipped', 1, 2, async (tx) => {
      await tx.query('commit');
      await endSession(tx);
    });
    expect(outcome).to.deep.equal({ outcome: 'already-live' });
    expect(await readLiveGeneration(world.deps.pool)).to.equal(2);
    expect(await attempt(1, 2)).to.deep.equal({ outcome: 'already-live' });
  });

  it('does not flip after its process was stopped for longer than the server allows', async () => {
    const outcome = await attemptUpTo('flipped', 1, 2, () => delay(6_000));
    expect(outcome.outcome).to.equal('not-now');
    expect(await readLiveGeneration(world.deps.pool)).to.equal(1);
  });

  it('waits for a release under way and counts what it issues, and fences the next one', async () => {
    let outcome: SwapOutcome['outcome'];
    do outcome = await swapBetweenReleases();
    while (outcome === 'not-now');
    expect(outcome).to.equal('swapped');
  });

  it('gives up, unchanged, when a release does not end, and succeeds when it has', async () => {
    const release = await openTx();
    await release.query(firstOfRelease);
    const outcome = await attempt(1, 2);
    expect(outcome).to.include({ outcome: 'not-now' });
    expect(await readLiveGeneration(world.deps.pool)).to.equal(1);
    await release.query('rollback');
    expect((await swapped(1, 2)).outcome).to.equal('swapped');
  });

  for (const [stage, what] of [
    ['attribution', 'attribution of generation 2 to read the facts'],
    ['rewards', 'rewards of generation 2 to fold the decisions'],
  ] as const) {
    it(`changes nothing while ${stage} of the new generation lags`, async () => {
      const lag = await openTx();
      await lag.query(`lock table ${stage}_g2.projection_position in share row exclusive mode`);
      const outcome = await attempt(1, 2);
      expect(outcome.outcome).to.equal('not-now');
      // Held by somebody else is not lagging: what it waits for depends on the moment.
      expect(JSON.stringify(outcome)).to.match(new RegExp(`${what}|lock timeout`));
      expect(await readLiveGeneration(world.deps.pool)).to.equal(1);
    });
  }

  it('refuses what is not there or lost, and a second one at the same time', async () => {
    expect(await attempt(1, 7)).to.deep.equal({
      outcome: 'refused',
      why: 'generation 7 is not there',
    });
    let second: SwapOutcome | undefined;
    const outcome = await swapped(1, 2, async (at) => {
      if (at === 'decided' && !second) second = await attempt(1, 2);
    });
    expect(second).to.deep.equal({ outcome: 'not-now', why: 'another swap is under way' });
    expect(outcome.outcome).to.equal('swapped');
  });

  it('goes back and forth while processes of both folds are killed in the middle of it', async () => {
    const { attribution, rewards } = world.chain;
    let [from, to] = [1, 2];
    const kills = [
      ['to-held', attribution.replicas[0]!],
      ['rewarded', rewards.replicas[0]!],
      ['releases-held', rewards.replicas[1]!],
      ['flipped', rewards.replicas[0]!],
    ] as const;
    for (const [at, victim] of isLong ? kills : kills.slice(0, 2)) {
      await attemptUpTo(at, from, to, () => victim.kill('SIGKILL'));
      await victim.restart();
      const note = 'a test';
      const context = testContext(randomUUID());
      await swapUntilDone(world.deps, context, { from, to, note });
      expect(await readLiveGeneration(world.deps.pool)).to.equal(to);
      [from, to] = [to, from];
    }
    await Promise.all([attribution.ready(), rewards.ready()]);
  });

  it('has decided every event once in both, and issued every reward once', async () => {
    await endFlow();
    expect((await swapped(1, 2)).outcome).to.equal('swapped');
    await world.evaluate(2, [1]);
  });

  function attempt(
    from: number,
    to: number,
    reached?: (step: SwapStep, tx: Tx) => Promise<void>,
  ): Promise<SwapOutcome> {
    const { signal } = new AbortController();
    const request = { from, to, note: 'a test', readModels: [], signal };
    const swapping = trySwap(world.deps, request, reached);
    attempts.push(swapping);
    return swapping;
  }

  /**
   * One attempt while a release is under way, and another release that comes during the attempt.
   */
  async function swapBetweenReleases(): Promise<SwapOutcome['outcome']> {
    const release = await openTx();
    await release.query(firstOfRelease);
    const state = { isOver: false };
    const swapping = attempt(1, 2).finally(() => (state.isOver = true));
    const waits = (mode: string) =>
      eventually(async () => expect(state.isOver || (await isAwaited(mode))).to.equal(true), {
        deadlineMs: 30_000,
      });
    await waits('ExclusiveLock');
    // It waits behind the swap. What it sees then is what has become of that.
    const later = inTransaction(world.deps.pool, async (tx) => {
      const { rows } = await tx.query<{ generation: number }>(firstOfRelease);
      return rows[0]?.generation;
    });
    await waits('RowShareLock');
    await release.query('commit');
    const { outcome } = await swapping;
    expect(await later).to.equal(outcome === 'swapped' ? 2 : 1);
    return outcome;
  }

  /** Whether somebody of this test waits for a lock like this of the live generation. */
  async function isAwaited(mode: string): Promise<boolean> {
    const { rows } = await world.chain.db.query(
      `select from pg_locks join pg_stat_activity using (pid)
       where application_name = 'test generations' and not granted and mode = $1
         and relation = 'generations.live_generation'::regclass`,
      [mode],
    );
    return rows.length > 0;
  }

  /** Attempts until one comes as far as this step and does this there. */
  async function attemptUpTo(
    step: SwapStep,
    from: number,
    to: number,
    act: (tx: Tx) => Promise<unknown>,
  ): Promise<SwapOutcome> {
    for (let n = 0; ; n++) {
      let hasActed = false;
      const outcome = await attempt(from, to, async (at, tx) => {
        if (at !== step) return;
        hasActed = true;
        await act(tx);
      });
      if (hasActed) return outcome;
      expect(outcome.outcome, JSON.stringify(outcome)).to.equal('not-now');
      expect(n, `attempts that did not come to ${step}`).to.be.lessThan(mostAttempts);
    }
  }

  /** Again and again, while it is too early. */
  async function swapped(
    from: number,
    to: number,
    reached: (step: SwapStep) => Promise<void> | void = () => undefined,
  ): Promise<SwapOutcome> {
    for (let n = 0; ; n++) {
      const outcome = await attempt(from, to, async (step) => reached(step));
      if (outcome.outcome !== 'not-now' || n >= mostAttempts) return outcome;
    }
  }

  async function openTx() {
    const tx = await world.deps.pool.connect();
    open.push(tx);
    // The server may end its session; the next query says so.
    tx.on('error', () => undefined);
    await tx.query('begin');
    await allowIdle(tx, 60_000);
    return tx;
  }

  async function endSession(tx: Tx): Promise<void> {
    const { rows } = await tx.query<{ pid: number }>('select pg_backend_pid() as pid');
    await world.chain.db.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
  }

  async function isFollowed(generation: number): Promise<void> {
    const { rows } = await world.chain.db.query<{ count: string }>(
      `select count(*) as count from attribution_g${generation}.fact`,
    );
    expect(Number(rows[0]?.count)).to.be.greaterThan(100);
  }

  async function movesOn(schema: string): Promise<void> {
    const read = async () => {
      const { rows } = await world.chain.db.query<{ sum: string }>(
        `select sum(next_offset) as sum from ${schema}.projection_position`,
      );
      return Number(rows[0]?.sum);
    };
    const before = await read();
    await delay(300);
    expect(await read()).to.be.greaterThan(before);
  }
});

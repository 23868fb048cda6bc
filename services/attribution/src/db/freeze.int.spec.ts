import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { advancePositions, claimPositions } from '@tributary/event-log/position';
import { takeOutbox } from '@tributary/event-log/testing';
import { createAdminApp } from '@tributary/http/admin-listener';
import { createInternalRouter } from '@tributary/http/internal-router';
import { createRegistry } from '@tributary/http/metrics';
import type { Listener } from '@tributary/http/server';
import { serve } from '@tributary/http/testing';
import { createLogger } from '@tributary/runtime/logger';
import { inTransaction } from '@tributary/runtime/postgres';
import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { patiently } from '@tributary/testkit/patience';
import { expect } from 'chai';
import { code, purchase, revision } from '@tributary/attribution-fold/testing/records';
import { type Parts, startParts } from '../testing/parts.ts';
import { createFreeze, type Freeze, type FreezeAttribution } from './freeze.ts';
import { stateRoutes } from '../http/state-routes.ts';

const logger = createLogger({ service: 'test', level: 'silent' });
const token = 'test-internal-token';
const { signal: never } = new AbortController();

describe('freeze of attribution', () => {
  let database: TestDatabase;
  let parts: Parts;
  let other: Parts;
  let freeze: FreezeAttribution;
  let ends = 0n;
  let events = 0;

  before(async () => {
    database = await createDatabase();
    parts = await startParts({ url: database.url });
    other = await startParts({ url: database.url });
    freeze = freezeOf(parts);
    await parts.apply('catalog', revision());
    await parts.apply('codes', code());
    await parts.sweep();
  });
  after(async () => {
    await parts.stop();
    await other.stop();
    await database.drop();
  });

  function freezeOf({ pool }: Parts, patience = {}): FreezeAttribution {
    const readOutputEnds = () => Promise.resolve(new Map([['attributions/0', { high: ends }]]));
    const patient = { waitMs: patiently(2_000), holdMs: patiently(8_000) };
    return createFreeze({ pool, name: 'attribution', readOutputEnds, ...patient, ...patience });
  }

  async function frozen(by = freeze): Promise<Freeze> {
    const result = await by(never);
    if (result.outcome !== 'frozen') throw new Error(result.detail);
    return result.freeze;
  }

  /** As a consumer does it: claims a partition, then applies batches of it while `goOn` says so. */
  async function consume(writer: Parts, partition: number, goOn: () => boolean): Promise<void> {
    const topic = 'events';
    const claimed = await inTransaction(writer.pool, (tx) =>
      claimPositions(tx, 'attribution', [{ topic, partition }]),
    );
    let from = claimed.get(`${topic}/${partition}`)!;
    while (goOn()) {
      const size = 1 + (events % 5);
      const batch = Array.from({ length: size }, () => purchase(++events));
      const to = { next: from.next + BigInt(size), digest: Buffer.from('x') };
      await inTransaction(writer.pool, async (tx) => {
        const advance = [{ topic, partition, from, to }];
        expect(await advancePositions(tx, 'attribution', advance)).to.equal(true);
        await writer.applyIn(tx, 'events', batch);
      });
      from = { ...from, ...to };
    }
  }

  async function sweepAndRelayOnce(): Promise<void> {
    await parts.sweep();
    await inTransaction(parts.pool, async (tx) => {
      ends += BigInt((await takeOutbox(tx)).length);
    });
  }

  /** As sweeper and relay do it: what has been sent is removed, and not before. */
  async function sweepAndRelay(goOn: () => boolean): Promise<void> {
    while (goOn()) {
      await sweepAndRelayOnce();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async function counts(): Promise<{ facts: bigint }> {
    const { rows } = await other.pool.query<{ facts: string }>(
      'select count(*) as facts from fact',
    );
    return { facts: BigInt(rows[0]!.facts) };
  }

  const total = (offsets: Record<string, string>) =>
    Object.values(offsets).reduce((sum, offset) => sum + BigInt(offset), 0n);

  it('tells the exact vector, again and again, while two processes take batches and partitions', async () => {
    let going = true;
    const goOn = () => going;
    const work = [0, 1, 2].map((p) => consume(p % 2 === 0 ? parts : other, p, goOn));
    work.push(sweepAndRelay(goOn));
    const seen: bigint[] = [];
    try {
      for (let round = 0; round < 25; round += 1) {
        // A partition that nobody has read yet is claimed while the freeze is on its way.
        if (round % 5 === 0) work.push(consume(other, 10 + round, goOn));
        const held = await frozen(round % 2 === 0 ? freeze : freezeOf(other));
        const before = await counts();
        expect(before.facts, 'every batch that moved a position, and no other').to.equal(
          total(held.positions),
        );
        expect(total(held.outputEnds), 'all of it is on the log').to.equal(before.facts);
        await new Promise((resolve) => setTimeout(resolve, 20));
        expect(await counts(), 'nothing happens meanwhile').to.deep.equal(before);
        await held.end();
        seen.push(before.facts);
        await eventually(async () => expect((await counts()).facts > before.facts).to.equal(true));
      }
    } finally {
      going = false;
      await Promise.all(work);
      // Whoever wrote last may have done so after the relay had ended.
      await sweepAndRelayOnce();
    }
    expect(new Set(seen).size).to.equal(seen.length);
  });

  it('is not reached while work is left that could change a decision, and lets go then', async () => {
    const impatient = freezeOf(parts, { waitMs: 100, holdMs: 300 });
    await parts.pool.query(
      `insert into outbox (lane, topic, key, value) values (0, 'attributions', 'k', 'v')`,
    );
    const result = await impatient(never);
    expect(result).to.have.property('detail').that.includes('1 decisions not on the log');
    let going = true;
    let rounds = 0;
    await consume(other, 90, () => going && (going = ++rounds < 3));
    await parts.sweep();
    await parts.pool.query('delete from outbox');
    const held = await frozen(impatient);
    await held.end();
  });

  it('gives up on a batch that takes too long, and nobody behind it waits longer', async () => {
    const impatient = freezeOf(parts, { holdMs: 400 });
    const slow = await other.begin();
    await slow.tx.query(`update projection_position set updated_at = now()`);
    const error: unknown = await impatient(never).catch((reason: unknown) => reason);
    expect(error).to.have.property('code', '55P03');
    await slow.commit();
    await (await frozen(impatient)).end();
  });

  it('ends when its client is killed, or leaves', async () => {
    const listener = await listen();
    const url = `http://127.0.0.1:${listener.port}/internal/freeze`;
    try {
      const client = spawn(process.execPath, ['-e', askAndStay, url, token]);
      await once(client.stdout, 'data');
      expect(await mayWrite()).to.equal(false);
      client.kill('SIGKILL');
      await eventually(async () => expect(await mayWrite()).to.equal(true), { deadlineMs: 2_000 });

      const leaving = new AbortController();
      const headers = { authorization: `Bearer ${token}` };
      const init = { method: 'POST', headers, signal: leaving.signal };
      const answer = await fetch(url, init);
      expect(answer.status).to.equal(200);
      expect(await mayWrite()).to.equal(false);
      leaving.abort();
      await eventually(async () => expect(await mayWrite()).to.equal(true), { deadlineMs: 2_000 });
    } finally {
      await listener.stop();
    }
  });

  it('ends with the process that holds it', async () => {
    const held = await frozen();
    const { rows } = await other.pool.query<{ pid: number }>(
      `select pid from pg_locks where mode = 'ShareLock' and granted
         and relation = 'projection_position'::regclass
         and database = (select oid from pg_database where datname = current_database())`,
    );
    await other.pool.query('select pg_terminate_backend($1)', [rows[0]!.pid]);
    await eventually(async () => expect(await mayWrite()).to.equal(true));
    await held.end();
    await (await frozen()).end();
  });

  function listen(): Promise<Listener> {
    const state = {
      generation: 1,
      foldVersion: 2 as const,
      freeze,
      tell: () => {
        throw new Error('not asked');
      },
      decisionsOn: () => Promise.resolve({ decisions: [], others: [] }),
    };
    const router = createInternalRouter(stateRoutes(state), { logger });
    const internal = { tokens: [token], router };
    const registry = createRegistry('test');
    return serve(createAdminApp({ service: 'test', registry, checks: {}, internal }));
  }

  async function mayWrite(): Promise<boolean> {
    try {
      await inTransaction(other.pool, async (tx) => {
        await tx.query(`set local lock_timeout = 50`);
        await tx.query('update projection_position set updated_at = now()');
      });
      return true;
    } catch {
      return false;
    }
  }
});

/** A client in a process of its own, so that it can be killed. */
const askAndStay = `
  const [url, token] = process.argv.slice(1);
  const headers = { authorization: 'Bearer ' + token };
  fetch(url, { method: 'POST', headers }).then(async (answer) => {
    for await (const chunk of answer.body) process.stdout.write(chunk);
  });`;

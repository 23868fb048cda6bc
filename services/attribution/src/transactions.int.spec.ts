import type { Tx } from '@tributary/runtime/postgres';
import { createDatabase, type TestDatabase } from '@tributary/testkit/database';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import fc from 'fast-check';
import { foldUser, type Fold } from './domain/fold-user.ts';
import { arrivals } from './testing/arbitraries.ts';
import { decideFromScratch } from './testing/in-memory-model.ts';
import { type Parts, startParts } from './testing/parts.ts';
import { code, eventIdOf, purchase, revision, signup } from './testing/records.ts';

describe('attribution transactions on Postgres', () => {
  let database: TestDatabase;
  let parts: Parts;
  let other: Parts;
  const poisoned = new Set<string>();

  before(async () => {
    database = await createDatabase();
    const fold: Fold = (facts, surroundings) => {
      if (facts.some(({ event }) => poisoned.has(event.newUser.id))) throw new Error('poison');
      return foldUser(facts, surroundings);
    };
    parts = await startParts({ url: database.url, fold });
    other = await startParts({ url: database.url });
  });

  beforeEach(() => parts.clear());

  after(async () => {
    await parts.stop();
    await other.stop();
    await database.drop();
  });

  const outcomeOf = async (n: number) => {
    const { outcome, reason, version } = await parts.decision(eventIdOf(n));
    return `${reason ?? outcome} v${version}`;
  };

  it('decides an event once and publishes it once, however often it comes', async () => {
    await parts.apply('catalog', revision());
    await parts.apply('codes', code());
    await parts.apply('events', purchase(1), purchase(1));
    await other.apply('events', purchase(1), signup(2));
    expect(await outcomeOf(1)).to.equal('attributed v1');
    const published = (await parts.outbox()).map(({ eventId, version }) => [eventId, version]);
    expect(published).to.deep.equal([
      [eventIdOf(1), 1],
      [eventIdOf(2), 1],
    ]);
    expect(await parts.outbox()).to.deep.equal(await parts.decisions());
  });

  it('decides a waiting event when its code appears, and again only what a change touches', async () => {
    await parts.apply('catalog', revision());
    await parts.apply('events', purchase(1), purchase(2, { ucc: 'other' }));
    expect(await outcomeOf(1)).to.equal('unknown-code v1');
    await other.apply('codes', code());
    expect(await outcomeOf(1)).to.equal('attributed v2');
    expect(await outcomeOf(2)).to.equal('unknown-code v1');
    await other.apply('codes', code());
    const disabled = { type: 'code-disabled' as const, version: 2 };
    await other.apply('codes', code({ ...disabled, at: '2027-01-01T00:00:00.000Z' }));
    expect(await outcomeOf(1)).to.equal('attributed v2');
    await other.apply('codes', code({ ...disabled, version: 3, at: '2026-02-01T00:00:00.000Z' }));
    expect(await outcomeOf(1)).to.equal('code-disabled v3');
  });

  it('moves an invoice to an earlier report of another user and tells all others', async () => {
    await parts.apply('catalog', revision());
    await parts.apply('codes', code());
    const late = { invoiceId: 'inv', source: 'legacy' as const };
    await parts.apply('events', purchase(3, late), purchase(4, { ...late, amount: 1 }));
    expect([await outcomeOf(3), await outcomeOf(4)]).to.deep.equal([
      'attributed v1',
      'duplicate v1',
    ]);
    await other.apply('events', purchase(5, { invoiceId: 'inv' }));
    expect(await outcomeOf(3)).to.equal('duplicate v2');
    expect(await outcomeOf(4)).to.equal('duplicate v2');
    expect(await outcomeOf(5)).to.equal('attributed v1');
    const told = await parts.decision(eventIdOf(4));
    expect(told.duplicateOf).to.equal(eventIdOf(5));
    expect(told.flags).to.deep.equal(['amount-differs', 'user-differs']);
  });

  it('decides again by a later revision what occurred since its effectiveFrom, and nothing else', async () => {
    await parts.apply('catalog', revision());
    await parts.apply('codes', code());
    const may = { occurredAt: '2026-05-01T00:00:00.000001Z' };
    await parts.apply('events', purchase(1), purchase(2, may), purchase(3, may));
    const stopped = { revision: 2, status: 'stopped' as const };
    await other.apply('catalog', revision({ ...stopped, effectiveFrom: '2026-05-01T00:00:00Z' }));
    await other.sweep();
    expect(await outcomeOf(1)).to.equal('attributed v1');
    expect(await outcomeOf(2)).to.equal('campaign-not-running v2');
    expect(await outcomeOf(3)).to.equal('campaign-not-running v2');
    const { rows } = await parts.pool.query('select refold_id from refold');
    expect(rows).to.deep.equal([]);
  });

  it('keeps extreme times: year 0000, offset +23:59, second 60, a fraction of 30000 digits', async () => {
    const times = [
      '0000-01-01T00:00:00+23:59',
      '9999-12-31T23:59:59-23:59',
      '2016-12-31T23:59:60Z',
      `2026-03-01T10:00:00.${'0'.repeat(29_999)}1Z`,
    ];
    await parts.apply('codes', code());
    await parts.apply('events', ...times.map((occurredAt, i) => purchase(i + 1, { occurredAt })));
    await other.apply('catalog', revision({ effectiveFrom: '0000-01-01T00:00:00.000Z' }));
    await other.sweep();
    const outcomes = await Promise.all([1, 2, 3, 4].map(outcomeOf));
    expect(outcomes).to.deep.equal(times.map(() => 'attributed v2'));
  });

  describe('with two transactions forced into each other (design 7, "Locks")', () => {
    for (const first of ['event', 'code'] as const) {
      it(`decides an event and its code alike, ${first} first`, async () => {
        await parts.apply('catalog', revision());
        const [a, b] = await overlap(
          (p, tx) =>
            first === 'event'
              ? p.applyIn(tx, 'events', [purchase(1)])
              : p.applyIn(tx, 'codes', [code()]),
          (p, tx) =>
            first === 'event'
              ? p.applyIn(tx, 'codes', [code()])
              : p.applyIn(tx, 'events', [purchase(1)]),
        );
        expect([a, b]).to.deep.equal(['ran', 'waited']);
        expect(await outcomeOf(1)).to.match(/^attributed/);
      });

      it(`decides an event and a campaign revision alike, ${first === 'event' ? 'event' : 'catalog'} first`, async () => {
        await parts.apply('codes', code());
        const event = (p: Parts, tx: Tx) => p.applyIn(tx, 'events', [purchase(1)]);
        const catalog = (p: Parts, tx: Tx) => p.applyIn(tx, 'catalog', [revision()]);
        const result =
          first === 'event' ? await overlap(event, catalog) : await overlap(catalog, event);
        expect(result).to.deep.equal(['ran', 'waited']);
        await parts.sweep();
        expect(await outcomeOf(1)).to.match(/^attributed/);
      });
    }

    for (const order of [
      [1, 2],
      [2, 1],
    ] as const) {
      it(`gives one invoice of two users to the same event, event ${order[0]} first`, async () => {
        await parts.apply('catalog', revision());
        await parts.apply('codes', code());
        const report = (n: number) =>
          purchase(n, { invoiceId: 'inv', occurredAt: `2026-03-01T10:00:0${n}Z` });
        const result = await overlap(
          (p, tx) => p.applyIn(tx, 'events', [report(order[0])]),
          (p, tx) => p.applyIn(tx, 'events', [report(order[1])]),
        );
        expect(result).to.deep.equal(['ran', 'waited']);
        expect(await outcomeOf(1)).to.equal('attributed v1');
        expect(await outcomeOf(2)).to.match(/^duplicate/);
      });
    }

    /** Starts the second while the first is open; commits the first, then the second. */
    async function overlap(
      first: (p: Parts, tx: Tx) => Promise<void>,
      second: (p: Parts, tx: Tx) => Promise<void>,
    ): Promise<[string, string]> {
      const [one, two] = [await parts.begin(), await other.begin()];
      await first(parts, one.tx);
      let done = false;
      const pid = await backendOf(two.tx);
      const running = second(other, two.tx).then(() => void (done = true));
      const waited = await Promise.race([running.then(() => false), blocked(pid)]);
      expect(done).to.equal(!waited);
      await one.commit();
      await running;
      await two.commit();
      return ['ran', waited ? 'waited' : 'ran'];
    }

    async function backendOf(tx: Tx): Promise<number> {
      const { rows } = await tx.query<{ pid: number }>('select pg_backend_pid() as pid');
      return rows[0]!.pid;
    }

    /** Resolves when the server says that this connection waits for a lock. */
    async function blocked(pid: number): Promise<boolean> {
      return eventually(async () => {
        const { rows } = await parts.pool.query<{ blockers: number[] }>(
          'select pg_blocking_pids($1) as blockers',
          [pid],
        );
        expect(rows[0]?.blockers).not.to.deep.equal([]);
        return true;
      });
    }
  });

  it('leaves one user undecided when the fold throws, publishes it, and tries again (design 6)', async () => {
    await parts.apply('catalog', revision());
    await parts.apply('codes', code());
    poisoned.add('user_1');
    await parts.apply('events', purchase(1), purchase(2));
    expect([await outcomeOf(1), await outcomeOf(2)]).to.deep.equal([
      'internal v1',
      'attributed v1',
    ]);
    expect((await parts.outbox()).map(({ outcome }) => outcome)).to.have.members([
      'undecided',
      'attributed',
    ]);
    await makeRetriesDue();
    await parts.sweep();
    expect(await outcomeOf(1)).to.equal('internal v1');
    poisoned.delete('user_1');
    await makeRetriesDue();
    await parts.sweep();
    expect(await outcomeOf(1)).to.equal('attributed v2');
  });

  const makeRetriesDue = () =>
    parts.pool.query(`update decision set retry_at = now() where retry_at is not null`);

  it('leaves very many facts of a late code to the sweeper, page by page', async () => {
    await parts.apply('catalog', revision());
    const events = Array.from({ length: 1_100 }, (_, i) => purchase(i + 1));
    for (let i = 0; i < events.length; i += 500) {
      await parts.apply('events', ...events.slice(i, i + 500));
    }
    await parts.apply('codes', code());
    expect(await outcomeOf(1)).to.equal('unknown-code v1');
    await Promise.all([parts.sweep(), other.sweep()]);
    await parts.sweep();
    const outcomes = new Set((await parts.decisions()).map((d) => `${d.outcome} v${d.version}`));
    expect([...outcomes]).to.deep.equal(['attributed v2']);
  });

  it('leaves very many duplicates of an invoice that changed hands to the sweeper', async () => {
    await parts.apply('catalog', revision());
    await parts.apply('codes', code());
    const later = { invoiceId: 'inv', occurredAt: '2026-03-02T00:00:00Z', userId: 'hot' };
    const events = Array.from({ length: 1_200 }, (_, i) => purchase(i + 10, later));
    for (let i = 0; i < events.length; i += 400) {
      await parts.apply('events', ...events.slice(i, i + 400));
    }
    await other.apply('events', purchase(2, { invoiceId: 'inv' }));
    await other.apply('events', purchase(1, { invoiceId: 'inv' }));
    expect(await outcomeOf(1)).to.equal('attributed v1');
    expect(await outcomeOf(2)).to.equal('duplicate v2');
    expect((await parts.decision(eventIdOf(10))).duplicateOf).to.equal(eventIdOf(2));
    await parts.sweep();
    const holders = new Set((await parts.decisions()).map((d) => d.duplicateOf));
    expect([...holders]).to.have.members([undefined, eventIdOf(1)]);
  });

  it('needs the same number of statements for a batch of one and of hundreds', async () => {
    await parts.apply('catalog', revision());
    await parts.apply('codes', code());
    const counts: number[] = [];
    for (const size of [1, 400]) {
      const events = Array.from({ length: size }, (_, i) => purchase(size * 10 + i));
      counts.push(await countStatements(parts, () => parts.apply('events', ...events)));
    }
    expect(counts[0]).to.equal(counts[1]);
    expect(counts[0]).to.be.lessThan(18);
  });

  it('comes to the fold from scratch when processes apply any history at once (promise 4)', async () => {
    const seed = Date.now() % 2 ** 31;
    for (const [i, { sets, order }] of fc.sample(arrivals, { seed, numRuns: 40 }).entries()) {
      await parts.clear();
      const lanes = [parts, other, parts, other].map(async (process, lane) => {
        for (const arrival of order.filter((_, at) => at % 4 === lane)) {
          await process.apply(arrival.topic, arrival.record);
        }
        await process.sweep();
      });
      await Promise.all(lanes);
      await parts.sweep();
      expect(await parts.current(), `seed ${seed}, history ${i}`).to.deep.equal(
        decideFromScratch(sets),
      );
    }
  });

  it('ends the same, without deadlock, when processes shuffle many facts of few invoices', async () => {
    const events = Array.from({ length: 2_000 }, (_, i) =>
      purchase(i + 1, {
        invoiceId: `inv_${(i * 7) % 300}`,
        userId: `user_${(i * 13) % 500}`,
        ucc: `code_${(i * 3) % 40}`,
        source: i % 3 === 0 ? 'legacy' : 'v2',
        occurredAt: `2026-03-${10 + (i % 10)}T10:00:00.${(i * 997) % 1000}Z`,
      }),
    );
    const codes = Array.from({ length: 40 }, (_, i) =>
      code({ ucc: `code_${i}`, productUserId: `user_${i}` }),
    );
    const shuffled = events.map((_, i) => events[(i * 1_117) % events.length]!);
    const lanes = [0, 1, 2, 3].map(async (lane) => {
      const process = lane % 2 === 0 ? parts : other;
      for (let i = lane * 500; i < (lane + 1) * 500; i += 50) {
        await process.apply('events', ...shuffled.slice(i, i + 50));
        if (i % 200 === 0) await process.apply('codes', ...codes.slice(lane * 10, lane * 10 + 10));
      }
    });
    lanes.push(other.apply('catalog', revision()));
    await Promise.all(lanes);
    await parts.sweep();
    expect(await parts.current()).to.deep.equal(
      decideFromScratch({ events, codes, revisions: [revision()] }),
    );
  });
});

async function countStatements(parts: Parts, work: () => Promise<void>): Promise<number> {
  const client = await parts.pool.connect();
  const prototype = Object.getPrototypeOf(client) as { query: (...args: unknown[]) => unknown };
  client.release();
  const original = prototype.query;
  let count = 0;
  prototype.query = function (this: unknown, ...args: unknown[]) {
    count += 1;
    return original.apply(this, args);
  };
  try {
    await work();
  } finally {
    prototype.query = original;
  }
  return count;
}

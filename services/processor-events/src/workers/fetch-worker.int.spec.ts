import { eventually } from '@tributary/testkit/eventually';
import { patiently } from '@tributary/testkit/patience';
import { expect } from 'chai';
import type { FetchOutcome } from '../stripe/api.ts';
import { putConnections } from '../db/connections.ts';
import type { FetchNeed } from './fetch-worker.ts';
import { readConnectionStatus } from '../db/read-connection-status.ts';
import { questionRestMs } from '../domain/fetch-backoff.ts';
import { connection, createFetchWorld } from '../testing/fetch-world.ts';
import { customer, invoice, monthlyPrice, received } from '../testing/records.ts';
import { readFolded, readNeeds, stateOf } from '../testing/tables.ts';

describe('the fetch worker', () => {
  let world: Awaited<ReturnType<typeof createFetchWorld>>;
  let asked: string[];
  /** What the next questions are answered with instead. */
  let instead: FetchOutcome[];

  beforeEach(async () => {
    world = await createFetchWorld();
    asked = [];
    instead = [];
  });
  afterEach(() => world.end());

  const fetch: FetchNeed = (_connection, { type, id }) => {
    asked.push(`${type}:${id}`);
    const odd = instead.shift();
    if (odd) return Promise.resolve(odd);
    if (type === 'customer') return Promise.resolve({ outcome: 'object', object: customer(id) });
    if (type === 'price') return Promise.resolve({ outcome: 'object', object: monthlyPrice });
    return Promise.resolve({ outcome: 'object', object: { object: 'absent', type, id } });
  };

  function paid(n: number, customerId = `cus_${n}`) {
    const receivedAt = new Date().toISOString();
    return received(`evt_${n}`, invoice(`in_${n}`, customerId), { receivedAt });
  }

  const reported = (n: number) =>
    eventually(async () => expect(await stateOf(world.pool, `in_${n}`)).to.equal('reported'), {
      deadlineMs: 30_000,
    });

  it('asks for what is needed, tells the answer on the log, and then it is a fact', async () => {
    await world.start(fetch);
    await world.report(paid(1));
    await reported(1);
    expect(asked).to.deep.equal(['customer:cus_1', 'price:price_1']);
    await eventually(async () => expect(await world.facts()).to.have.length(1));
    expect((await world.records()).map(({ type }) => type)).to.deep.equal([
      'received',
      'fetched',
      'fetched',
    ]);
  });

  it('asks for a price once for all customers of a tenant', async () => {
    await world.start(fetch);
    await world.report(paid(1));
    await reported(1);
    await world.report(paid(2));
    await reported(2);
    expect(asked).to.deep.equal(['customer:cus_1', 'price:price_1', 'customer:cus_2']);
  });

  it('asks nothing that was answered once the schema is folded anew', async () => {
    const first = await world.start(fetch);
    await world.report(paid(1), paid(2), paid(3));
    for (const n of [1, 2, 3]) await reported(n);
    await eventually(async () => expect(await readNeeds(world.pool)).to.deep.equal([]));
    await first.stop();
    const before = await readFolded(world.pool);
    const times = asked.length;
    await world.dropSchema();
    await world.start(fetch);
    for (const n of [1, 2, 3]) await reported(n);
    expect(await readFolded(world.pool)).to.deep.equal(before);
    expect(asked).to.have.length(times);
  });

  it('asks again later when there is no answer, and drops nothing', async () => {
    instead = [{ outcome: 'later', detail: 'Stripe answers 429' }];
    const askedAt: number[] = [];
    const needs: unknown[] = [];
    await world.start(async (...question) => {
      askedAt.push(performance.now());
      if (asked.length === 1) {
        const { rows } = await world.pool.query<object>('select attempts, last_error from need');
        needs.push(...rows);
      }
      return fetch(...question);
    });
    await world.report(paid(1));
    await reported(1);
    expect(asked).to.deep.equal(['customer:cus_1', 'customer:cus_1', 'price:price_1']);
    expect(needs).to.deep.equal([{ attempts: 1, last_error: 'Stripe answers 429' }]);
    expect(askedAt[1]! - askedAt[0]!).to.be.above(questionRestMs(0, 0) - 100);
    await eventually(async () => {
      const { rows } = await world.pool.query('select failures, rest_until from connection');
      expect(rows).to.deep.equal([{ failures: 0, rest_until: null }]);
    });
  });

  it('waits as long as Stripe asks for, with all questions of the connection', async () => {
    instead = [{ outcome: 'later', afterMs: 3_600_000, detail: 'Stripe answers 429' }];
    await world.start(fetch);
    await world.report(paid(1));
    await eventually(async () => {
      const { rows } = await world.pool.query(
        `select from connection where rest_until > now() + interval '59 minutes'`,
      );
      expect(rows).to.have.length(1);
    });
    await world.report(paid(2));
    await eventually(async () => expect(await readNeeds(world.pool)).to.have.length(2));
    expect(asked).to.have.length(1);
  });

  it('shows a refused key with the words of Stripe, and tries at once after a change', async () => {
    instead = [{ outcome: 'refused', detail: 'Invalid API Key provided' }];
    await world.start(fetch);
    await world.report(paid(1));
    await eventually(async () => {
      const { failing } = await readConnectionStatus(world.pool, connection);
      expect(failing?.detail).to.equal('Invalid API Key provided');
    });
    await putConnections(world.pool, [{ ...connection, version: 2 }]);
    await reported(1);
    expect((await readConnectionStatus(world.pool, connection)).failing).to.equal(null);
  });

  for (const hook of ['applied', 'fetched', 'appended'] as const) {
    it(`loses nothing and makes nothing twice when it breaks off as it is ${hook}`, async () => {
      let breaks = 2;
      await world.start(fetch, {
        leaseMs: patiently(500),
        observe: (now) => {
          if (now === hook && breaks-- > 0) throw new Error('broken off');
        },
      });
      await world.report(paid(1));
      await reported(1);
      await eventually(async () => {
        const ids = (await world.facts()).map(({ eventId }) => eventId);
        expect(new Set(ids).size).to.equal(1);
      });
      await eventually(async () => expect(await readNeeds(world.pool)).to.deep.equal([]));
    }).timeout(60_000);
  }

  it('leaves alone what is of a connection that is not active', async () => {
    await putConnections(world.pool, [{ ...connection, version: 2, status: 'disconnected' }]);
    await world.start(fetch);
    await world.report(paid(1));
    await eventually(async () => expect(await readNeeds(world.pool)).to.have.length(1));
    await putConnections(world.pool, [{ ...connection, version: 3 }]);
    await reported(1);
    expect(asked[0]).to.equal('customer:cus_1');
  });
});

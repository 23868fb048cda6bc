import { eventually } from '@tributary/testkit/eventually';
import { patiently } from '@tributary/testkit/patience';
import { expect } from 'chai';
import type { FetchOutcome } from '../stripe/api.ts';
import type { FetchNeed } from './fetch-worker.ts';
import { createFetchWorld } from '../testing/fetch-world.ts';
import { customer, invoice, monthlyPrice, received } from '../testing/records.ts';
import { stateOf } from '../testing/tables.ts';

describe('the fetch worker does not hammer Stripe', function () {
  this.timeout(60_000);
  let world: Awaited<ReturnType<typeof createFetchWorld>>;
  let asked: string[];

  beforeEach(async () => {
    world = await createFetchWorld();
    asked = [];
  });
  afterEach(() => world.end());

  function answering(answer: (type: string, id: string) => FetchOutcome): FetchNeed {
    return (_connection, { type, id }) => {
      asked.push(`${type}:${id}`);
      return Promise.resolve(answer(type, id));
    };
  }

  /** What the table says when the customer is asked for again. */
  let needs: unknown[];

  function noting(fetch: FetchNeed): FetchNeed {
    needs = [];
    return async (...question) => {
      if (asked.length === 1) {
        const { rows } = await world.pool.query<object>('select attempts, last_error from need');
        needs.push(...rows);
      }
      return fetch(...question);
    };
  }

  function paidAt(receivedAt: string) {
    return world.report(received('evt_1', invoice('in_1', 'cus_1'), { receivedAt }));
  }

  it('when its clock is behind that of the database', async () => {
    const none = customer('cus_1', { ucc: null, newUserId: null });
    const clock = { now: () => new Date(Date.now() - 30_000) };
    await world.start(
      answering(() => ({ outcome: 'object', object: none })),
      { clock },
    );
    // A minute old in a moment, but not before it is asked for first: then it is asked for again.
    const knownSinceMs = Date.now() - 60_000 + Math.min(50_000, patiently(3_000));
    await paidAt(new Date(knownSinceMs).toISOString());
    await eventually(
      async () => {
        const { rows } = await world.pool.query('select due_at from need');
        expect(rows).to.deep.equal([{ due_at: new Date(knownSinceMs + 600_000) }]);
      },
      { deadlineMs: 50_000 },
    );
    expect(asked).to.deep.equal(['customer:cus_1', 'customer:cus_1']);
  });

  it('for an answer that the log does not take', async () => {
    let broken = true;
    await world.start(
      noting(
        answering((type) =>
          type === 'customer'
            ? { outcome: 'object', object: customer('cus_1') }
            : { outcome: 'object', object: monthlyPrice },
        ),
      ),
      {
        observe: (hook) => {
          if (hook !== 'fetched' || !broken) return;
          broken = false;
          throw new Error('the log does not take it');
        },
      },
    );
    await paidAt(new Date().toISOString());
    await eventually(async () => expect(await stateOf(world.pool, 'in_1')).to.equal('reported'), {
      deadlineMs: 30_000,
    });
    expect(needs).to.deep.equal([
      { attempts: 1, last_error: 'The answer could not be kept; it is asked again.' },
    ]);
    expect(asked.filter((each) => each === 'customer:cus_1')).to.have.length(2);
  });

  it('and asks again, later, when it answers with another object', async () => {
    await world.start(
      noting(
        answering((type) => {
          if (type !== 'customer') return { outcome: 'object', object: monthlyPrice };
          return { outcome: 'object', object: customer(asked.length === 1 ? 'cus_2' : 'cus_1') };
        }),
      ),
    );
    await paidAt(new Date().toISOString());
    await eventually(async () => expect(await stateOf(world.pool, 'in_1')).to.equal('reported'), {
      deadlineMs: 30_000,
    });
    expect(needs).to.deep.equal([
      { attempts: 1, last_error: 'Stripe answered with another object than was asked for.' },
    ]);
    expect(asked.filter((each) => each === 'customer:cus_1')).to.have.length(2);
  });
});

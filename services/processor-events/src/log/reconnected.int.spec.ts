import { expect } from 'chai';
import { createReconcilePage } from '../commands/reconcile/reconcile-page.ts';
import { firstPlace } from '../commands/reconcile/walk.ts';
import { inTransaction } from '@tributary/runtime/postgres';
import { itemIdOf } from '../domain/item-of.ts';
import { createProcessorDatabase, type ProcessorDatabase } from '../testing/database.ts';
import { connection } from '../testing/fetch-world.ts';
import { at, customer, fetched, invoice, monthlyPrice, received } from '../testing/records.ts';
import { stateOf } from '../testing/tables.ts';
import { retryItems } from '../db/retry-items.ts';

/** An account was disconnected while its payments waited, and then connected anew. */
describe('what waits when its connection is replaced', () => {
  const anew = 'con00000000000002';
  let database: ProcessorDatabase;

  beforeEach(async () => {
    database = await createProcessorDatabase();
    await database.apply(received('evt_1', invoice('in_1', 'cus_1')));
  });
  afterEach(() => database.drop());

  async function asked() {
    const { rows } = await database.pool.query<{ connection_id: string }>(
      `select connection_id, type || ':' || id as need from need`,
    );
    return rows;
  }

  it('is asked of the new connection after any event of the customer', async () => {
    const receivedAt = at(5_000);
    const subscription = {
      object: 'subscription',
      ...{ id: 'sub_1', customerId: 'cus_1', prices: [monthlyPrice] },
    } as const;
    const kind = 'customer.subscription.updated';
    await database.apply(received('evt_2', subscription, { connectionId: anew, receivedAt, kind }));
    expect(await asked()).to.deep.equal([{ connection_id: anew, need: 'customer:cus_1' }]);
    await database.apply(fetched('cus_1', customer('cus_1'), at(6_000), { connectionId: anew }));
    expect(await stateOf(database.pool, 'in_1')).to.equal('reported');
  });

  it('is reported again by a reconciliation of the new connection, once, and asked of it', async () => {
    const object = invoice('in_1', 'cus_1');
    const appended: string[] = [];
    const page = createReconcilePage({
      db: database.pool,
      stripe: {
        fetch: () => Promise.reject(new Error('nothing is to be asked')),
        list: () =>
          Promise.resolve({
            outcome: 'page',
            listed: [{ kind: 'invoices', id: 'in_1', createdAt: object.createdAt, object }],
            nextCursor: null,
          }),
      },
      appender: {
        append: (entries) => {
          appended.push(...entries.map(({ value }) => value ?? ''));
          return Promise.resolve();
        },
      },
      processorTopic: 'processor',
      now: () => new Date(at(60_000)),
    });
    const reconcile = () =>
      page(
        {
          connection: { ...connection, connectionId: anew },
          account: { connectionId: anew, apiKey: 'rk_test_1', apiVersion: connection.apiVersion },
          append: true,
        },
        { kind: 'invoices', since: object.createdAt - 60, lookBackDays: 1 },
        firstPlace,
      );
    expect((await reconcile()).appended).to.equal(1);
    await database.apply(JSON.parse(appended[0]!) as ReturnType<typeof fetched>);
    expect(await asked()).to.deep.equal([{ connection_id: anew, need: 'customer:cus_1' }]);
    expect((await reconcile()).appended).to.equal(0);
  });

  it('is asked anew by an operator though an answer was on the log that never came', async () => {
    await database.pool.query(`update need set answered = true`);
    const { rows } = await database.pool.query<{ subject_id: string }>(
      'select subject_id from item',
    );
    const place = { subjectId: rows[0]!.subject_id, itemId: itemIdOf('t1', 'invoice', 'in_1') };
    expect(await inTransaction(database.pool, (tx) => retryItems(tx, [place]))).to.equal(1);
    const needs = await database.pool.query('select answered, asked_for from need');
    expect(needs.rows).to.deep.equal([{ answered: false, asked_for: true }]);
  });
});

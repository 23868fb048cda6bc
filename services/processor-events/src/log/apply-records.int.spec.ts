import { expect } from 'chai';
import { createProcessorDatabase, type ProcessorDatabase } from '../testing/database.ts';
import {
  at,
  charge,
  connectionId,
  customer,
  fetched,
  invoice,
  monthlyPrice,
  received,
  refund,
  session,
} from '../testing/records.ts';
import { readFolded, readNeeds, stateOf, takeFacts } from '../testing/tables.ts';
import { findSeen } from '../db/find-seen.ts';

describe('applyRecords', () => {
  let database: ProcessorDatabase;
  const paid = received('evt_1', invoice('in_1', 'cus_1'));
  const answered = fetched('cus_1', customer('cus_1'), at(1_000));
  const priced = fetched('cus_1', monthlyPrice, at(1_100));

  beforeEach(async () => {
    database = await createProcessorDatabase();
  });
  afterEach(() => database.drop());

  it('asks for what a fact lacks, and makes it of the answers', async () => {
    await database.apply(paid);
    expect(await stateOf(database.pool, 'in_1')).to.equal('waiting incomplete');
    expect(await readNeeds(database.pool)).to.deep.equal(['customer:cus_1']);
    await database.apply(answered);
    expect(await readNeeds(database.pool)).to.deep.equal(['price:price_1']);
    expect(await takeFacts(database.pool)).to.deep.equal([]);
    await database.apply(priced);
    expect(await stateOf(database.pool, 'in_1')).to.equal('reported');
    expect(await readNeeds(database.pool)).to.deep.equal([]);
    const [fact] = await takeFacts(database.pool);
    expect(fact).to.deep.include({
      eventType: 'purchase-created',
      ucc: 'CODE1',
      receivedAt: at(1_100),
    });
  });

  it('makes a fact once, whatever is reported and read again', async () => {
    await database.apply(paid, answered, priced);
    const made = await readFolded(database.pool);
    await takeFacts(database.pool);
    await database.apply(
      { ...paid, receivedAt: at(5_000) },
      fetched('cus_1', customer('cus_1', { ucc: 'OTHER' }), at(6_000)),
      received('evt_2', invoice('in_1', 'cus_1'), { receivedAt: at(7_000) }),
    );
    expect(await takeFacts(database.pool)).to.deep.equal([]);
    const now = await readFolded(database.pool);
    expect(now['facts']).to.deep.equal(made['facts']);
    expect(now['items']).to.deep.equal(made['items']);
  });

  it('keeps the id of an event that leads to nothing, and that of one of the other mode with its item', async () => {
    await database.apply(
      received('evt_1', undefined, { ignored: 'kind-not-used', kind: 'payout.paid' }),
      received('evt_2', invoice('in_2', 'cus_2'), { ignored: 'other-mode', livemode: true }),
    );
    const seen = (processorEventId: string) =>
      findSeen(database.pool, { connectionId, processorEventId });
    expect([await seen('evt_1'), await seen('evt_2'), await seen('evt_3')]).to.deep.equal([
      true,
      true,
      false,
    ]);
    expect(await stateOf(database.pool, 'in_2')).to.equal('unmatched other-mode');
    expect(await readNeeds(database.pool)).to.deep.equal([]);
  });

  it('never takes a reading of another subject or tenant', async () => {
    await database.apply(paid, answered, priced);
    await database.apply(
      received('evt_2', invoice('in_2', 'cus_2')),
      fetched('cus_2', customer('cus_2'), at(1_200)),
      { ...received('evt_1', invoice('in_1', 'cus_1')), tenantId: 't2' },
    );
    const { rows } = await database.pool.query(
      `select tenant_id, type || ':' || id as need from need order by 1, 2`,
    );
    expect(rows).to.deep.equal([
      { tenant_id: 't1', need: 'price:price_1' },
      { tenant_id: 't2', need: 'customer:cus_1' },
    ]);
  });

  it('reports what was unmatched as soon as the metadata is there, and all of it', async () => {
    const none = customer('cus_1', { ucc: null, newUserId: null });
    await database.apply(
      paid,
      priced,
      fetched('cus_1', none, at(2_000)),
      received('evt_2', invoice('in_2', 'cus_1'), { receivedAt: at(3_000) }),
      fetched('cus_1', none, at(4_000)),
    );
    expect(await stateOf(database.pool, 'in_1')).to.equal('unmatched no-metadata');
    const due = () => database.pool.query('select due_at, since from need');
    // The later item is a minute old before the earlier one is ten.
    expect((await due()).rows).to.deep.equal([{ due_at: new Date(at(60_000)), since: at(4_001) }]);
    await database.apply(fetched('cus_1', customer('cus_1'), at(60_000)));
    expect(await stateOf(database.pool, 'in_1')).to.equal('reported');
    expect(await stateOf(database.pool, 'in_2')).to.equal('reported');
    expect((await takeFacts(database.pool)).map((fact) => fact.receivedAt)).to.deep.equal([
      at(60_000),
      at(60_000),
    ]);
    expect((await due()).rows).to.deep.equal([]);
  });

  it('asks at once for a younger answer after any event of the customer', async () => {
    const none = customer('cus_1', { ucc: null, newUserId: null });
    await database.apply(paid, priced, fetched('cus_1', none, at(2_000)));
    await database.apply(
      received(
        'evt_2',
        { object: 'subscription', id: 'sub_1', customerId: 'cus_1', prices: [] },
        { kind: 'customer.subscription.updated', receivedAt: at(3_000) },
      ),
    );
    const { rows } = await database.pool.query('select due_at, since from need');
    expect(rows).to.deep.equal([{ due_at: new Date(at(3_000)), since: at(3_000) }]);
  });

  it('reports refunds one by one, with the identity of the purchase, however late their list comes', async () => {
    const given = charge('ch_1', 'cus_1', { invoiceId: 'in_1' });
    const listOf = (...ids: string[]) =>
      ({ object: 'refunds', chargeId: 'ch_1', refunds: ids.map((id) => refund(id)) }) as const;
    const kind = 'charge.refunded';
    await database.apply(received('evt_2', given, { kind }), paid, answered, priced);
    expect(await readNeeds(database.pool)).to.deep.equal(['refunds:ch_1']);
    await database.apply(
      fetched('cus_1', customer('cus_1', { ucc: 'OTHER' }), at(2_000)),
      fetched('cus_1', listOf('re_1'), at(3_000)),
    );
    await database.apply(
      received('evt_3', { ...given, amountRefunded: 2_000 }, { kind, receivedAt: at(4_000) }),
    );
    expect(await readNeeds(database.pool)).to.deep.equal(['refunds:ch_1']);
    await database.apply(fetched('cus_1', listOf('re_1', 're_2'), at(5_000)));
    const facts = await takeFacts(database.pool);
    const reported = facts.map((fact) => [
      fact.ucc,
      fact.eventType === 'purchase-refunded' ? fact.refund.refundId : fact.eventType,
    ]);
    expect(reported).to.deep.equal([
      ['CODE1', 'purchase-created'],
      ['CODE1', 're_1'],
      ['CODE1', 're_2'],
    ]);
  });

  it('asks for an unpaid session ever more rarely, by its age', async () => {
    const kind = 'checkout.session.completed';
    await database.apply(received('evt_1', session('cs_1', 'cus_1'), { kind }));
    expect(await stateOf(database.pool, 'cs_1')).to.equal('waiting unpaid');
    const dueAfter = async (readMs: number) => {
      await database.apply(fetched('cus_1', session('cs_1', 'cus_1'), at(readMs)));
      const { rows } = await database.pool.query<{ due_at: Date }>('select due_at from need');
      return rows[0]?.due_at.toISOString();
    };
    expect(await dueAfter(60_000)).to.equal(at(600_000));
    expect(await dueAfter(600_000)).to.equal(at(3_600_000));
    expect(await dueAfter(90 * 86_400_000)).to.equal(undefined);
  });

  it('passes by a record of a day that there is not', async () => {
    await database.apply({ ...paid, receivedAt: '2026-13-45T99:00:00.000Z' });
    expect((await readFolded(database.pool))['items']).to.deep.equal([]);
  });

  it('takes texts of a processor that Postgres would not', async () => {
    const odd = customer('cus_1', { ucc: '\ud800', newUserId: 'u\u2028' });
    await database.apply(
      received('evt_1', invoice('in_1', 'cus_1', { status: 'paid\u0000' })),
      fetched('cus_1', odd, at(1_000)),
      priced,
    );
    await database.apply(received('evt_2', invoice('in_2', 'cus_1'), { receivedAt: at(9_000) }));
    expect(await stateOf(database.pool, 'in_2')).to.equal('reported');
  });
});

import type { DeliveryRecord } from '@tributary/contracts/delivery-record';
import { inTransaction } from '@tributary/runtime/postgres';
import { expect } from 'chai';
import { createDispatchDatabase } from '../testing/database.ts';
import { delivered, incomingFacts } from '../testing/facts.ts';
import { uuidOf } from '../testing/records.ts';
import { leaveOutWritten } from './leave-out-written.ts';

describe('facts that this process has written itself', () => {
  let database: Awaited<ReturnType<typeof createDispatchDatabase>>;
  const [mine, others] = incomingFacts(delivered(uuidOf('mine')), delivered(uuidOf('others')));
  const takeWritten = ({ webhookEventId }: DeliveryRecord) => webhookEventId === uuidOf('mine');

  before(async () => {
    database = await createDispatchDatabase();
  });

  after(() => database.drop());

  const left = () =>
    inTransaction(database.pool, (tx) => leaveOutWritten(tx, [mine!, others!], takeWritten));

  it('are looked at where the database has lost them (0011)', async () => {
    expect(await left()).to.deep.equal([mine, others]);
  });

  it('are looked at where the database has another attempt of their number', async () => {
    const [failed] = incomingFacts({
      ...delivered(uuidOf('mine')),
      outcome: 'failed',
      statusCode: 500,
    });
    await database.apply(failed!);
    expect(await left()).to.deep.equal([mine, others]);
  });

  it('are left out where the database has them', async () => {
    await database.apply(mine!);
    expect(await left()).to.deep.equal([others]);
  });
});

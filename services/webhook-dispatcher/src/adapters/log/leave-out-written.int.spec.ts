import type { DeliveryRecord } from '@tributary/contracts/delivery-record';
import { deliverySchemaVersion } from '@tributary/contracts/delivery-record';
import { inTransaction } from '@tributary/runtime/postgres';
import { expect } from 'chai';
import { createDispatchDatabase } from '../../testing/database.ts';
import { incomingDeliveries, uuidOf } from '../../testing/records.ts';
import { leaveOutWritten } from './leave-out-written.ts';

describe('facts that this process has written itself', () => {
  let database: Awaited<ReturnType<typeof createDispatchDatabase>>;
  const [mine, others] = incomingDeliveries(factOf('mine'), factOf('others'));
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
    const [failed] = incomingDeliveries({ ...factOf('mine'), outcome: 'failed', statusCode: 500 });
    await database.apply(failed!);
    expect(await left()).to.deep.equal([mine, others]);
  });

  it('are left out where the database has them', async () => {
    await database.apply(mine!);
    expect(await left()).to.deep.equal([others]);
  });
});

function factOf(name: string): DeliveryRecord {
  return {
    schemaVersion: deliverySchemaVersion,
    type: 'attempted',
    tenantId: 't1',
    webhookEventId: uuidOf(name),
    issuanceId: uuidOf(`issuance-of-${name}`),
    round: 0,
    attempt: 1,
    step: 1,
    outcome: 'delivered',
    result: 'status',
    statusCode: 200,
    startedAt: '2026-01-01T00:00:00.000Z',
    durationMs: 12,
  };
}

import { type DeliveryRecord, deliverySchemaVersion } from '@tributary/contracts/delivery-record';
import { expect } from 'chai';
import { createOwnResults } from './own-results.ts';
import { uuidOf } from './testing/records.ts';

describe('own results', () => {
  it('are known once as written, and not when they were overtaken', () => {
    const own = createOwnResults();
    for (const [fact, written] of [
      [factOf('a'), true],
      [factOf('b'), false],
    ] as const) {
      own.told(fact);
      own.ended(fact, written);
    }
    expect(own.takeWritten(factOf('a'))).to.equal(true);
    expect(own.takeWritten(factOf('a'))).to.equal(false);
    expect(own.takeWritten(factOf('b'))).to.equal(false);
    expect(own.takeWritten(factOf('c'))).to.equal(false);
  });

  it('are not mistaken for another fact of the same delivery', () => {
    const own = createOwnResults();
    own.told(factOf('a'));
    own.ended(factOf('a'), true);
    expect(own.takeWritten(factOf('a', { attempt: 2 }))).to.equal(false);
    expect(own.takeWritten(factOf('a', { startedAt: '2026-01-01T00:00:00.001Z' }))).to.equal(false);
    expect(own.takeWritten(factOf('a'))).to.equal(true);
  });

  it('are waited for until they are written', async () => {
    const own = createOwnResults();
    own.told(factOf('a'));
    let settled = false;
    const waiting = own.settled([factOf('a'), factOf('b')]).then(() => (settled = true));
    await own.settled([factOf('b')]);
    expect(settled).to.equal(false);
    own.ended(factOf('a'), true);
    await waiting;
    expect(own.takeWritten(factOf('a'))).to.equal(true);
  });
});

function factOf(name: string, changes: Partial<DeliveryRecord> = {}): DeliveryRecord {
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
    ...changes,
  };
}

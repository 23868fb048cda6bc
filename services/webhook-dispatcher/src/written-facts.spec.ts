import { type DeliveryRecord, deliverySchemaVersion } from '@tributary/contracts/delivery-record';
import { expect } from 'chai';
import { uuidOf } from './testing/records.ts';
import { createWrittenFacts } from './written-facts.ts';

describe('written facts', () => {
  it('are known once: a second copy on the log is looked at', () => {
    const written = createWrittenFacts();
    written.add(factOf('a'));
    expect(written.take(factOf('b'))).to.equal(false);
    expect(written.take(factOf('a'))).to.equal(true);
    expect(written.take(factOf('a'))).to.equal(false);
  });

  it('are not mistaken for another fact of the same delivery', () => {
    const written = createWrittenFacts();
    written.add(factOf('a'));
    for (const other of [
      factOf('a', { attempt: 2 }),
      factOf('a', { round: 1 }),
      factOf('a', { outcome: 'failed' }),
      factOf('a', { startedAt: '2026-01-01T00:00:00.001Z' }),
    ]) {
      expect(written.take(other)).to.equal(false);
    }
    expect(written.take(factOf('a'))).to.equal(true);
  });

  it('are forgotten, the oldest first, where nobody asks for them', () => {
    const written = createWrittenFacts();
    written.add(factOf('first'));
    for (let n = 0; n < 20_000; n++) written.add(factOf('a', { webhookEventId: String(n) }));
    expect(written.take(factOf('first'))).to.equal(false);
    expect(written.take(factOf('a', { webhookEventId: '0' }))).to.equal(true);
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

import type { DeliveryRecord } from '@tributary/contracts/delivery-record';
import { expect } from 'chai';
import { latestOutcomes } from './known-outcome.ts';

describe('latestOutcomes', () => {
  it('keeps the highest attempt of each delivery, in any order', () => {
    const records = [fact({ attempt: 2 }), fact({ attempt: 1 }), fact({ webhookEventId: 'ev-2' })];
    expect(latestOutcomes(records).map((o) => [o.webhookEventId, o.attempts])).to.deep.equal([
      ['ev-1', 2],
      ['ev-2', 1],
    ]);
  });

  it('takes delivered as final, even against a later or equal attempt', () => {
    const delivered = fact({ outcome: 'delivered', attempt: 1 });
    for (const other of [fact({ attempt: 1 }), fact({ attempt: 3, outcome: 'exhausted' })]) {
      expect(latestOutcomes([delivered, other])[0]?.state).to.equal('delivered');
      expect(latestOutcomes([other, delivered])[0]?.state).to.equal('delivered');
    }
  });
});

function fact(changes: Partial<DeliveryRecord>): DeliveryRecord {
  return {
    schemaVersion: 1,
    tenantId: 't1',
    webhookEventId: 'ev-1',
    issuanceId: 'is-1',
    attempt: 1,
    outcome: 'failed',
    result: 'timeout',
    startedAt: '2026-03-01T10:00:00.000Z',
    durationMs: 10,
    ...changes,
  };
}

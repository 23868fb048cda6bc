import {
  code,
  eventIdOf,
  purchase,
  revision,
  signup,
  tenant,
} from '@tributary/attribution-fold/testing/records';
import { expect } from 'chai';
import { createModel } from '../testing/in-memory-model.ts';

const received = { occurredAt: '2026-03-02T00:00:00Z', receivedAt: '2026-03-02T00:00:01.000Z' };

describe('attribution, mode first-code', () => {
  it('binds a user by a code whose campaign begins to run only later', async () => {
    const model = createModel();
    await model.apply('catalog', [tenant({ attributionMode: 'first-code' }), revision()]);
    await model.apply('codes', [
      code(),
      code({ ucc: 'carl-code', productUserId: 'carl', campaignId: 'c2' }),
    ]);
    // The widget's report binds by anna's code, as long as no backend's event binds: carl's
    // campaign does not run. The purchase is decided by anna's code, so its decision does not name
    // carl's campaign.
    await model.apply('events', [
      signup(1, { userId: 'u', source: 'widget', occurredAt: '2026-03-01T00:00:00Z' }),
      purchase(2, { userId: 'u', ucc: 'carl-code', ...received }),
    ]);
    await model.sweep();
    const referrer = () =>
      model.current().find(({ eventId }) => eventId === eventIdOf(2))?.referrerId;
    expect(referrer()).to.equal('anna');
    await model.apply('catalog', [revision({ campaignId: 'c2' })]);
    await model.sweep();
    expect(referrer()).to.equal('carl');
  });
});

import { expect } from 'chai';
import { code, purchase, revision, signup, tenant } from '../testing/records.ts';
import { decisionOn, given } from '../testing/given.ts';

const receivedAt = '2026-03-01T10:00:00.000Z';
const dated2090 = { occurredAt: '2090-01-01T00:00:00Z', receivedAt };

describe('what is dated in the future (decision 18)', () => {
  const later = revision({ revision: 2, effectiveFrom: '2026-06-01T00:00:00.000Z' });
  const world = given({ events: [purchase(1, dated2090)], revisions: [revision(), later] });

  it('is decided by the revision in force when it was received', () => {
    expect(decisionOn(world)).to.include({ outcome: 'attributed', campaignRevision: 1 });
    const running = decisionOn(world).tests.find(({ test }) => test === 'campaign running');
    expect(running?.detail).to.equal(
      'revision 1 of the campaign, in effect from 2026-01-01T00:00:00.000Z, was running at ' +
        `${receivedAt}, when the event was received (it is dated later, 2090-01-01T00:00:00Z)`,
    );
  });

  it('was decided by that of its own date in the first version of the rules', () => {
    expect(decisionOn({ ...world, foldVersion: 1 })).to.include({ campaignRevision: 2 });
  });

  it('is decided in the attribution mode of its receipt', () => {
    const tenants = [
      tenant(),
      tenant({
        ...{ version: 2, attributionMode: 'first-code' },
        publishedAt: '2026-06-01T00:00:00.000Z',
      }),
    ];
    const carls = code({ ucc: 'carl-code', productUserId: 'carl' });
    const events = [
      signup(1, { userId: 'u', ucc: 'carl-code' }),
      purchase(2, { userId: 'u', ...dated2090 }),
    ];
    const decided = given({ events, tenants, codes: [code(), carls] });
    expect(decisionOn(decided, 2).referrerId).to.equal('anna');
    expect(decisionOn({ ...decided, foldVersion: 1 }, 2).referrerId).to.equal('carl');
  });

  it('is decided by its own date where that is not later than the receipt', () => {
    const events = [purchase(1, { occurredAt: receivedAt, receivedAt })];
    const same = revision({ revision: 2, effectiveFrom: receivedAt });
    const decided = given({ events, revisions: [revision(), same] });
    expect(decisionOn(decided)).to.include({ campaignRevision: 2 });
    expect(decisionOn(decided)).to.deep.equal(decisionOn({ ...decided, foldVersion: 1 }));
  });
});
